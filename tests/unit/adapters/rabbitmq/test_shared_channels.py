"""Many consumers on one channel: each gets its own, one that fails harms no other."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq import conduct, hosting
from goatherd.adapters.rabbitmq import link as link_module
from goatherd.model.listener import QUARANTINE_AFTER
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, ScriptedServer
from tests.unit.adapters.rabbitmq.stage import Stage, handle, until


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(conduct, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(conduct, "LONGEST_PAUSE", 0.05)


@pytest.fixture
async def stage(server: ScriptedServer) -> AsyncIterator[Stage]:
    stage = Stage(server)
    await stage.open()
    yield stage
    await stage.close()


async def consumed(talk: Conversation) -> tuple[str, str, int]:
    """Queue, tag and channel of the next consumer."""
    asked = await talk.hears(commands.Basic.Consume)
    return str(asked.queue), str(asked.consumer_tag), talk.channel_of_this(asked)


async def test_each_gets_what_is_meant_for_it(stage: Stage) -> None:
    for queue in ("a", "b", "c"):
        await stage.consume(queue)
    told = [await consumed(stage.talk) for _ in range(3)]
    assert len({channel for _, _, channel in told}) == 1
    assert len({tag for _, tag, _ in told}) == 3
    for number, (queue, tag, channel) in enumerate(reversed(told), 1):
        stage.talk.deliver(channel, number, queue.encode(), consumer=tag)
    got = [await stage.next() for _ in range(3)]
    assert {(each.message.queue, each.message.body) for each in got} == {("a", b"a"), ("b", b"b"), ("c", b"c")}


async def test_an_ack_for_many_leaves_out_what_another_still_holds(stage: Stage) -> None:
    for queue in ("a", "b"):
        await stage.consume(queue)
    (_, first, channel), (_, second, _) = [await consumed(stage.talk) for _ in range(2)]
    for number, tag in enumerate((first, second, first), 1):
        stage.talk.deliver(channel, number, b"", consumer=tag)
    got = {handle(each).tag: each for each in [await stage.next() for _ in range(3)]}
    for number in (1, 3):
        handle(got[number]).ack()
    acks = [await stage.talk.hears(commands.Basic.Ack) for _ in range(2)]
    assert [(ack.delivery_tag, ack.multiple) for ack in acks] == [(1, True), (3, False)]


async def test_a_message_for_nobody_goes_back(stage: Stage) -> None:
    for queue in ("a", "b"):
        await stage.consume(queue)
    _, _, channel = await consumed(stage.talk)
    stage.talk.deliver(channel, 1, b"", consumer="nobody")
    nack = await stage.talk.hears(commands.Basic.Nack)
    assert (nack.delivery_tag, nack.requeue) == (1, True)


async def test_the_prefetch_of_each_is_said_before_it_begins(stage: Stage) -> None:
    for queue, prefetch in (("a", 5), ("b", 5), ("c", 1)):
        await stage.consume(queue, prefetch)
    said = [thing for thing in stage.talk.heard if isinstance(thing, commands.Basic.Qos | commands.Basic.Consume)]
    assert [getattr(thing, "prefetch_count", None) or getattr(thing, "queue", None) for thing in said] == [
        5, "a", "b", 1, "c",
    ]  # fmt: skip


async def test_a_channel_and_a_connection_take_only_so_many(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "MOST_CONSUMERS", 2)
    monkeypatch.setattr(hosting, "MOST_CHANNELS", 2)
    for number in range(4):
        await stage.consume(f"q{number}")
    first, second, third, fourth = [(await consumed(stage.talk))[2] for _ in range(4)]
    assert first == second != third == fourth
    adding = asyncio.create_task(stage.consume("one more"))
    further = await stage.next_talk()
    await adding
    assert (await consumed(further))[0] == "one more"


async def test_never_more_channels_than_the_broker_allows(server: ScriptedServer) -> None:
    stage = Stage(server)
    opening = asyncio.create_task(stage.links[0].open())
    talk = await server.next()
    await talk.shake_hands(channel_max=hosting.LEFT_FOR_OTHERS + 1)
    await opening
    await stage.consume("a")
    place = asyncio.create_task(stage.hosting.place(await stage.consume("b"), alone=True))
    await stage.next_talk()
    assert (await place).channel.connection is not await stage.links[0].connection()
    await stage.close()


async def test_the_one_that_cannot_be_consumed_is_put_away_and_the_others_go_on(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    well = [await stage.consume(queue) for queue in ("a", "b")]
    stage.refused.add("poison")
    poison = await stage.consume("poison")
    await until(poison, "quarantined")
    assert poison.standing.failures >= QUARANTINE_AFTER
    assert "ACCESS_REFUSED" in poison.standing.why
    for each in well:
        await until(each, "running")
        assert each.standing.restarts == 1, "only its first try was made where it could harm others"
    assert "Recovered listener: a" in caplog.text
    stage.refused.clear()
    await until(poison, "running")
    assert (poison.standing.failures, poison.standing.healthy) == (0, True)
    assert "Recovered listener: poison" in caplog.text


async def test_one_that_the_broker_cancelled_is_down_at_once_and_alone(stage: Stage) -> None:
    first, second = [await stage.consume(queue) for queue in ("a", "b")]
    _, tag, channel = await consumed(stage.talk)
    await consumed(stage.talk)
    del stage.talk.answers[commands.Basic.Consume]
    stage.talk.say(commands.Basic.Cancel(tag, True), channel)
    await until(first, "down")
    assert second.standing.condition == "running"
    queue, tag, _ = await consumed(stage.talk)
    assert queue == "a"
    stage.talk.say(commands.Basic.ConsumeOk(tag), channel)
    await until(first, "running")
    assert (first.standing.restarts, second.standing.restarts) == (1, 0)


async def test_who_holds_a_delivery_too_long_gets_a_channel_of_its_own(stage: Stage) -> None:
    for queue in ("a", "slow", "c"):
        await stage.consume(queue)
    told = {queue: (tag, channel) for queue, tag, channel in [await consumed(stage.talk) for _ in range(3)]}
    tag, channel = told["slow"]
    stage.talk.deliver(channel, 1, b"", consumer=tag)
    await stage.next()
    text = "PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 1800000 ms."
    stage.talk.say(commands.Channel.Close(406, text, 0, 0), channel)
    again = [await consumed(stage.talk) for _ in range(3)]
    by_channel: dict[int, set[str]] = {}
    for queue, _, number in again:
        by_channel.setdefault(number, set()).add(queue)
    assert sorted(map(sorted, by_channel.values())) == [["a", "c"], ["slow"]]


async def test_all_come_back_on_the_next_connection(stage: Stage) -> None:
    subscriptions = [await stage.consume(f"q{number}") for number in range(20)]
    stage.talk.cut()
    talk = await stage.next_talk()
    assert {(await consumed(talk))[0] for _ in range(20)} == {f"q{number}" for number in range(20)}
    for each in subscriptions:
        await until(each, "running")
        assert each.standing.restarts == 1


async def test_to_give_up_stopping_one_does_not_end_the_others(stage: Stage) -> None:
    first, second = [await stage.consume(queue) for queue in ("a", "b")]
    answer = stage.talk.answers.pop(commands.Basic.Cancel)
    stopping = asyncio.create_task(first.stop())
    asked = await stage.talk.hears(commands.Basic.Cancel)
    stopping.cancel()
    await asyncio.gather(stopping, return_exceptions=True)
    stage.talk.say(answer(asked), stage.talk.channel_of(commands.Basic.Cancel))
    async with asyncio.timeout(5):
        while first.host is not None and first.host.knows("1"):
            await asyncio.sleep(0.005)
    assert second.host is not None
    assert second.host.channel.failed is None
    assert (first.standing.condition, second.standing.condition) == ("stopped", "running")


@pytest.mark.parametrize("shared", [True, False])
async def test_nothing_is_left_of_those_that_were_stopped(stage: Stage, shared: bool) -> None:
    before = len(asyncio.all_tasks())
    for number in range(50):
        await (await stage.consume(f"q{number}", shared=shared)).stop()
    await stage.hosting.sweep()
    assert (stage.hosting.channels, len(stage.hosting.members)) == (0, 0)
    await stage.hosting.hearing.close()
    async with asyncio.timeout(5):
        while len(asyncio.all_tasks()) > before:
            await asyncio.sleep(0.005)


async def test_a_stopped_one_can_still_settle_what_it_got(stage: Stage) -> None:
    subscription = await stage.consume("a")
    _, tag, channel = await consumed(stage.talk)
    stage.talk.deliver(channel, 1, b"", consumer=tag)
    delivery = await stage.next()
    await subscription.stop()
    await stage.hosting.sweep()
    handle(delivery).ack()
    assert (await stage.talk.hears(commands.Basic.Ack)).delivery_tag == 1
    assert handle(delivery).channel.failed is None


async def test_a_restart_never_gives_more_than_may_be_held(stage: Stage) -> None:
    subscription = await stage.consume("a", 2)
    _, tag, channel = await consumed(stage.talk)
    stage.talk.deliver(channel, 1, b"", consumer=tag)
    held = [await stage.next()]
    await subscription.restart()
    qos = [await stage.talk.hears(commands.Basic.Qos) for _ in range(2)]
    assert [each.prefetch_count for each in qos] == [2, 1]
    _, tag, _ = await consumed(stage.talk)
    stage.talk.deliver(channel, 2, b"", consumer=tag)
    held.append(await stage.next())
    await subscription.restart()
    await stage.talk.hears_nothing_of(commands.Basic.Consume, 0.05)
    assert not subscription.is_curbed
    for each in held:
        handle(each).ack()
    await stage.talk.hears(commands.Basic.Ack)
    assert subscription.is_curbed
