"""Cases: exchanges, queues and bindings are made and dropped, each step as often as one likes."""

import pytest

from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.ports.plumbing import Plumbing
from goatherd.testing.suites.plumbing_store import PlumbingCases, Traffic
from goatherd.testing.suites.receiver import eventually

NEWS = ExchangeSpec(name="news", type="topic")
MAIL = QueueSpec(name="mail", type="classic", arguments={"x-message-ttl": 600_000})
WAY = BindingSpec(source="news", destination="mail", key="mail.#")
#: Both kinds of queues that hold jobs.
KINDS = pytest.mark.parametrize("kind", ["classic", "quorum"])


async def blueprint_of(plumbing: Plumbing) -> Blueprint:
    """All that is there now."""
    return (await plumbing.survey(Blueprint())).blueprint


async def make(plumbing: Plumbing, *things: ExchangeSpec | QueueSpec | BindingSpec) -> None:
    """Make one after the other."""
    for thing in things:
        match thing:
            case ExchangeSpec():
                await plumbing.make_exchange(thing)
            case QueueSpec():
                await plumbing.make_queue(thing)
            case BindingSpec():
                await plumbing.bind(thing)


async def drops(plumbing: Plumbing, queue: str) -> bool:
    """Whether a queue goes; a broker may learn a moment late that somebody has left it."""

    async def gone() -> bool | None:
        return await plumbing.drop_queue(queue) or None

    return await eventually(gone, f"the end of the queue {queue!r}")


class ChangeCases(PlumbingCases):
    """Part of `PlumbingSuite`."""

    async def test_what_is_made_twice_is_there_once(self, plumbing: Plumbing) -> None:
        for _ in range(2):
            await make(plumbing, NEWS, MAIL, WAY)
        found = await blueprint_of(plumbing)
        assert (found.exchanges, found.queues, found.bindings) == ((NEWS,), (MAIL,), (WAY,))

    async def test_another_queue_of_that_name_stays_as_it_is(self, plumbing: Plumbing, traffic: Traffic) -> None:
        await make(plumbing, MAIL)
        await traffic.publish("", "mail", b"kept")
        with pytest.raises(TopologyMismatch, match="mail"):
            await plumbing.make_queue(QueueSpec(name="mail", type="classic"))
        assert (await blueprint_of(plumbing)).queues == (MAIL,)
        assert await traffic.drain("mail") == [("mail", b"kept")]

    async def test_another_exchange_of_that_name_stays_as_it_is(self, plumbing: Plumbing) -> None:
        await make(plumbing, NEWS)
        with pytest.raises(TopologyMismatch, match="news"):
            await plumbing.make_exchange(ExchangeSpec(name="news", type="direct"))
        assert (await blueprint_of(plumbing)).exchanges == (NEWS,)

    async def test_what_no_broker_can_make_is_said_in_words(self, plumbing: Plumbing) -> None:
        with pytest.raises(Unavailable, match="passing"):
            await plumbing.make_queue(QueueSpec(name="passing", type="quorum", durable=False))
        with pytest.raises(Unavailable, match="x-unheard-of"):
            await plumbing.make_exchange(ExchangeSpec(name="odd", type="x-unheard-of"))
        assert await blueprint_of(plumbing) == Blueprint(vhost=(await blueprint_of(plumbing)).vhost)

    async def test_an_exchange_goes_with_its_ways_on_both_sides(self, plumbing: Plumbing) -> None:
        inner = ExchangeSpec(name="inner", type="fanout")
        to_inner = BindingSpec(source="news", destination="inner", destination_type="exchange", key="#")
        onwards = BindingSpec(source="inner", destination="mail")
        await make(plumbing, NEWS, inner, MAIL, to_inner, onwards, WAY)
        for _ in range(2):
            await plumbing.drop_exchange("inner")
        found = await blueprint_of(plumbing)
        assert (found.exchanges, found.bindings) == ((NEWS,), (WAY,))

    async def test_ways_that_differ_in_arguments_alone_are_two(self, plumbing: Plumbing) -> None:
        heads = ExchangeSpec(name="heads", type="headers")
        one, two = (
            BindingSpec(source="heads", destination="mail", arguments={"x-match": "all", "n": n}) for n in (1, 2)
        )
        await make(plumbing, heads, MAIL, one, two)
        assert (await blueprint_of(plumbing)).bindings == (one, two)
        for _ in range(2):
            await plumbing.unbind(one)
        assert (await blueprint_of(plumbing)).bindings == (two,)

    async def test_a_way_needs_both_ends(self, plumbing: Plumbing) -> None:
        await make(plumbing, NEWS)
        with pytest.raises(Unavailable, match="mail"):
            await plumbing.bind(WAY)
        await make(plumbing, MAIL)
        await plumbing.drop_exchange("news")
        with pytest.raises(Unavailable, match="news"):
            await plumbing.bind(WAY)

    async def test_a_way_without_ends_is_no_more(self, plumbing: Plumbing) -> None:
        between = BindingSpec(source="news", destination="inner", destination_type="exchange")
        for way in (WAY, between):
            await plumbing.unbind(way)
        await make(plumbing, MAIL)
        await plumbing.unbind(WAY)

    @KINDS
    async def test_an_empty_queue_that_nobody_uses_is_dropped(self, plumbing: Plumbing, kind: str) -> None:
        await make(plumbing, QueueSpec(name="mail", type=kind))
        assert [await plumbing.drop_queue("mail") for _ in range(2)] == [True, True]
        assert await plumbing.crowd("mail") is None

    @KINDS
    async def test_a_queue_with_messages_stays(self, plumbing: Plumbing, traffic: Traffic, kind: str) -> None:
        await make(plumbing, QueueSpec(name="mail", type=kind))
        await traffic.publish("", "mail", b"kept")
        assert not await plumbing.drop_queue("mail")
        assert await traffic.drain("mail") == [("mail", b"kept")]
        assert await drops(plumbing, "mail")

    @KINDS
    async def test_a_queue_with_consumers_stays(self, plumbing: Plumbing, traffic: Traffic, kind: str) -> None:
        await make(plumbing, QueueSpec(name="mail", type=kind))
        await traffic.consume("mail")
        assert not await plumbing.drop_queue("mail")
        await traffic.leave()
        assert await drops(plumbing, "mail")

    @KINDS
    async def test_a_queue_stays_while_one_who_left_holds_messages_of_it(
        self, plumbing: Plumbing, traffic: Traffic, kind: str
    ) -> None:
        await make(plumbing, QueueSpec(name="mail", type=kind))
        await traffic.publish("", "mail", b"held")
        await traffic.hold("mail")
        assert not await plumbing.drop_queue("mail")
        await traffic.settle()
        assert await drops(plumbing, "mail")

    @KINDS
    async def test_a_full_queue_is_dropped_if_one_insists(
        self, plumbing: Plumbing, traffic: Traffic, kind: str
    ) -> None:
        await make(plumbing, QueueSpec(name="mail", type=kind))
        await traffic.publish("", "mail", b"gone")
        assert [await plumbing.drop_queue("mail", though_full=True) for _ in range(2)] == [True, True]
        assert await plumbing.crowd("mail") is None
