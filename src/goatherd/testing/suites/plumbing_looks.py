"""Cases: what is there is told as it is, policies are set, and only one changes things at a time."""

import pytest

from goatherd.errors import Unavailable
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Crowd
from goatherd.ports.plumbing import Plumbing
from goatherd.testing.suites.plumbing_changes import KINDS, blueprint_of, make
from goatherd.testing.suites.plumbing_store import PlumbingCases, Traffic
from goatherd.testing.suites.receiver import eventually

LIMIT = PolicySpec(name="limit", pattern="^mail$", apply_to="queues", definition={"max-length": 9}, priority=2)

QUIET = Crowd(messages=0, consumers=0, held=0)


async def becomes_quiet(plumbing: Plumbing, queue: str) -> None:
    """A broker may learn a moment late that somebody has left."""

    async def quiet() -> bool | None:
        return await plumbing.crowd(queue) == QUIET or None

    await eventually(quiet, f"quiet in the queue {queue!r}")


class LookCases(PlumbingCases):
    """Part of `PlumbingSuite`."""

    async def test_nothing_is_there_at_first(self, plumbing: Plumbing) -> None:
        seen = await plumbing.survey(Blueprint())
        assert seen.blueprint == Blueprint(vhost=seen.blueprint.vhost)
        assert (seen.crowds, seen.default_type, seen.unseen) == ({}, "classic", ())

    async def test_all_of_it_is_told_as_it_was_made(self, plumbing: Plumbing) -> None:
        exchanges = (
            ExchangeSpec(name="chat", type="direct", arguments={"alternate-exchange": "lost"}),
            ExchangeSpec(name="lost", type="fanout", durable=False, internal=True),
        )
        queues = (
            QueueSpec(
                name="a/b #1 % é(*)", type="classic", durable=False, arguments={"x-single-active-consumer": True}
            ),
            QueueSpec(name="notes", type="quorum", arguments={"x-delivery-limit": 3}),
        )
        bindings = (
            BindingSpec(source="amq.topic", destination="notes", key="#"),
            BindingSpec(source="chat", destination="a/b #1 % é(*)", key="k"),
            BindingSpec(source="chat", destination="lost", destination_type="exchange", key="k"),
            BindingSpec(source="lost", destination="notes"),
        )
        await make(plumbing, *exchanges, *queues, *bindings)
        found = await blueprint_of(plumbing)
        made = Blueprint(vhost=found.vhost, exchanges=exchanges, queues=queues, bindings=bindings)
        assert found == made

    @KINDS
    async def test_a_queue_is_counted_at_once(self, plumbing: Plumbing, traffic: Traffic, kind: str) -> None:
        assert await plumbing.crowd("mail") is None
        await make(plumbing, QueueSpec(name="mail", type=kind))
        assert await plumbing.crowd("mail") == QUIET
        await traffic.publish("", "mail", b"1", b"2")
        assert await plumbing.crowd("mail") == Crowd(messages=2, consumers=0, held=0)
        await traffic.drain("mail")
        await becomes_quiet(plumbing, "mail")
        await traffic.consume("mail")
        crowd = await plumbing.crowd("mail")
        assert crowd is not None
        assert crowd.consumers == 1

    @KINDS
    async def test_nobody_seems_to_be_there_only_if_nobody_holds_messages(
        self, plumbing: Plumbing, traffic: Traffic, kind: str
    ) -> None:
        await make(plumbing, QueueSpec(name="mail", type=kind))
        await traffic.publish("", "mail", b"held")
        await traffic.hold("mail")
        crowd = await plumbing.crowd("mail")
        assert crowd is not None
        assert crowd.held or crowd.consumers
        await traffic.settle()
        await becomes_quiet(plumbing, "mail")

    async def test_a_policy_is_made_changed_and_dropped(self, plumbing: Plumbing) -> None:
        await plumbing.set_policy(LIMIT)
        assert (await blueprint_of(plumbing)).policies == (LIMIT,)
        changed = PolicySpec(name="limit", pattern="^m", definition={"expires": 600_000})
        for _ in range(2):
            await plumbing.set_policy(changed)
        assert (await blueprint_of(plumbing)).policies == (changed,)
        for _ in range(2):
            await plumbing.drop_policy("limit")
        assert (await blueprint_of(plumbing)).policies == ()

    async def test_only_one_changes_things_at_a_time(self, plumbing: Plumbing, other: Plumbing) -> None:
        async with plumbing.alone():
            with pytest.raises(Unavailable, match=r"[Ss]omebody else"):
                async with other.alone():
                    pytest.fail("two changed it at a time")
            await make(plumbing, QueueSpec(name="mail", type="classic"))
        async with other.alone():
            assert await other.drop_queue("mail")

    async def test_one_who_fails_lets_others_go_on(self, plumbing: Plumbing, other: Plumbing) -> None:
        with pytest.raises(ZeroDivisionError):
            async with plumbing.alone():
                raise ZeroDivisionError
        async with other.alone():
            pass

    async def test_being_alone_leaves_nothing_behind(self, plumbing: Plumbing) -> None:
        async with plumbing.alone():
            inside = await blueprint_of(plumbing)
        assert inside == await blueprint_of(plumbing) == Blueprint(vhost=inside.vhost)
