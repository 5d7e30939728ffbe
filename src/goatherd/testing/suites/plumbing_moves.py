"""Cases: messages are moved from queue to queue, and none is ever in neither."""

import asyncio

import pytest

from goatherd.errors import Unavailable
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.ports.plumbing import Plumbing
from goatherd.testing.suites.plumbing_changes import blueprint_of, make
from goatherd.testing.suites.plumbing_store import PlumbingCases, Traffic
from goatherd.testing.suites.receiver import eventually

#: From one kind of queue to the other, and back.
ACROSS = pytest.mark.parametrize(("one", "two"), [("classic", "quorum"), ("quorum", "classic")])
#: More than are ever on their way at a time.
MANY = 1500


def bodies(count: int, name: str = "job") -> list[bytes]:
    """So many, each known by its number."""
    return [f"{name} {number}".encode() for number in range(count)]


async def two_queues(plumbing: Plumbing, one: str = "classic", two: str = "classic") -> None:
    """`mail`, and `mail.swap` to which its messages go."""
    await make(plumbing, QueueSpec(name="mail", type=one), QueueSpec(name="mail.swap", type=two))


async def empty_and_drop(plumbing: Plumbing, source: str, to: str) -> None:
    """A broker that has not heard of all that was let go of puts it back, and it is moved once more."""

    async def gone() -> bool | None:
        await plumbing.move(source, to, _nobody)
        return await plumbing.drop_queue(source) or None

    await eventually(gone, f"the end of the queue {source!r}")


def once(taken: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Without those that came again: each may be there twice, but stands first where it belongs."""
    return list(dict.fromkeys(taken))


class MoveCases(PlumbingCases):
    """Part of `PlumbingSuite`."""

    @ACROSS
    async def test_all_goes_over_in_order_and_leaves_nothing(
        self, plumbing: Plumbing, traffic: Traffic, one: str, two: str
    ) -> None:
        await two_queues(plumbing, one, two)
        await traffic.publish("", "mail", *bodies(MANY))
        told: list[int] = []
        await plumbing.move("mail", "mail.swap", told.append)
        assert told == sorted(told)
        assert told[-1] >= MANY
        await empty_and_drop(plumbing, "mail", "mail.swap")
        assert once(await traffic.drain("mail.swap")) == [("mail", body) for body in bodies(MANY)]

    async def test_messages_keep_their_keys(self, plumbing: Plumbing, traffic: Traffic) -> None:
        await two_queues(plumbing)
        way = BindingSpec(source="news", destination="mail", key="#")
        await make(plumbing, ExchangeSpec(name="news", type="topic"), way)
        for key in ("mail.read", "", "mail"):
            await traffic.publish("news", key, key.encode())
        await plumbing.move("mail", "mail.swap", _nobody)
        assert await traffic.drain("mail.swap") == [(key, key.encode()) for key in ("mail.read", "", "mail")]

    async def test_what_is_moved_comes_after_what_is_there(self, plumbing: Plumbing, traffic: Traffic) -> None:
        await two_queues(plumbing)
        await traffic.publish("", "mail.swap", b"first")
        await traffic.publish("", "mail", b"second")
        for _ in range(2):
            await plumbing.move("mail", "mail.swap", _nobody)
        assert [body for _, body in once(await traffic.drain("mail.swap"))] == [b"first", b"second"]

    async def test_moving_leaves_nothing_else_behind(self, plumbing: Plumbing, traffic: Traffic) -> None:
        await two_queues(plumbing)
        before = await blueprint_of(plumbing)
        await traffic.publish("", "mail", *bodies(10))
        await plumbing.move("mail", "mail.swap", _nobody)
        assert await blueprint_of(plumbing) == before

    async def test_what_comes_in_meanwhile_is_in_either(self, plumbing: Plumbing, traffic: Traffic) -> None:
        await two_queues(plumbing)
        await traffic.publish("", "mail", *bodies(MANY))
        moving = asyncio.create_task(plumbing.move("mail", "mail.swap", _nobody))
        await traffic.publish("", "mail", *bodies(MANY, "late"))
        await moving
        await empty_and_drop(plumbing, "mail", "mail.swap")
        moved = [body for _, body in once(await traffic.drain("mail.swap"))]
        assert sorted(moved) == sorted(bodies(MANY) + bodies(MANY, "late"))

    async def test_what_is_cut_off_is_done_again(self, plumbing: Plumbing, traffic: Traffic) -> None:
        await two_queues(plumbing, "classic", "quorum")
        await traffic.publish("", "mail", *bodies(MANY))
        moving = asyncio.create_task(plumbing.move("mail", "mail.swap", _nobody))
        while not moving.done():
            await asyncio.sleep(0)
            if await _count(plumbing, "mail.swap"):
                break
        moving.cancel()
        await asyncio.gather(moving, return_exceptions=True)
        await empty_and_drop(plumbing, "mail", "mail.swap")
        assert {body for _, body in await traffic.drain("mail.swap")} == set(bodies(MANY))

    async def test_a_missing_queue_is_said_and_not_made(self, plumbing: Plumbing, traffic: Traffic) -> None:
        await make(plumbing, QueueSpec(name="mail", type="classic"))
        await traffic.publish("", "mail", b"kept")
        for source, to in (("mail", "nowhere"), ("nowhere", "mail")):
            with pytest.raises(Unavailable, match="nowhere"):
                await plumbing.move(source, to, _nobody)
        assert [each.name for each in (await plumbing.survey(Blueprint())).blueprint.queues] == ["mail"]
        assert await traffic.drain("mail") == [("mail", b"kept")]

    async def test_a_queue_that_takes_no_more_is_said_and_nothing_lost(
        self, plumbing: Plumbing, traffic: Traffic
    ) -> None:
        small = QueueSpec(name="small", type="classic", arguments={"x-max-length": 3, "x-overflow": "reject-publish"})
        await make(plumbing, QueueSpec(name="mail", type="classic"), small)
        await traffic.publish("", "mail", *bodies(10))
        with pytest.raises(Unavailable, match="small"):
            await plumbing.move("mail", "small", _nobody)
        left = [body for queue in ("mail", "small") for _, body in await traffic.drain(queue)]
        assert set(left) == set(bodies(10))


def _nobody(_moved: int) -> None:
    """Nobody listens."""


async def _count(plumbing: Plumbing, queue: str) -> int:
    crowd = await plumbing.crowd(queue)
    return 0 if crowd is None else crowd.messages or 0
