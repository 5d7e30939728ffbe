"""Whoever is connected but deaf is found out by what the broker itself counts."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pamqp import commands
from pamqp.base import Frame

from goatherd.adapters.rabbitmq import conduct, hearing
from goatherd.adapters.rabbitmq import link as link_module
from tests.unit.adapters.rabbitmq.scripted_server import ScriptedServer
from tests.unit.adapters.rabbitmq.stage import Stage, handle, until


class Counts:
    """What the broker says of every queue, and how often it was asked."""

    def __init__(self) -> None:
        self.ready = 0
        self.consumers = 1
        self.gone = False
        self.asked: list[str] = []

    def answer(self, asked: commands.Queue.Declare) -> Frame:
        assert asked.passive
        self.asked.append(str(asked.queue))
        if self.gone:
            return commands.Channel.Close(404, f"NOT_FOUND - no queue '{asked.queue}'", 50, 10)
        return commands.Queue.DeclareOk(str(asked.queue), self.ready, self.consumers)

    async def looked(self, times: int) -> None:
        """Return when so many more questions were asked."""
        wanted = len(self.asked) + times
        async with asyncio.timeout(5):
            while len(self.asked) < wanted:
                await asyncio.sleep(0.005)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(conduct, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(hearing, "EVERY", 0.03)
    monkeypatch.setattr(hearing, "SETTLED", 0.0)


@pytest.fixture
async def stage(server: ScriptedServer) -> AsyncIterator[Stage]:
    stage = Stage(server)
    await stage.open()
    yield stage
    await stage.close()


@pytest.fixture
def counts(stage: Stage) -> Counts:
    counts = Counts()
    stage.talk.answers[commands.Queue.Declare] = counts.answer
    return counts


@pytest.mark.parametrize("shared", [True, False])
async def test_one_that_the_broker_does_not_know_of_is_started_anew(
    stage: Stage, counts: Counts, caplog: pytest.LogCaptureFixture, shared: bool
) -> None:
    subscription = await stage.consume("work", shared=shared)
    await stage.talk.hears(commands.Basic.Consume)
    counts.consumers = 0
    await stage.talk.hears(commands.Basic.Cancel)
    counts.consumers = 1
    assert (await stage.talk.hears(commands.Basic.Consume)).queue == "work"
    await until(subscription, "running")
    assert "no consumer of queue 'work'" in caplog.text
    assert ("Recovered listener: work" if shared else "Recovered the consumer of queue 'work'") in caplog.text


async def test_one_that_hears_nothing_while_messages_wait_is_started_anew(stage: Stage, counts: Counts) -> None:
    await stage.consume("work")
    await stage.talk.hears(commands.Basic.Consume)
    await counts.looked(3)
    counts.ready = 4
    await stage.talk.hears(commands.Basic.Cancel)
    await stage.talk.hears(commands.Basic.Consume)


async def test_the_next_time_it_is_waited_for_longer(
    stage: Stage, counts: Counts, caplog: pytest.LogCaptureFixture
) -> None:
    """Where it does not help, it is not done for ever at the same pace."""
    counts.ready = 4
    await stage.consume("work")
    await counts.looked(16)
    assert 2 <= caplog.text.count("its consumer is started anew") <= 4


async def test_one_that_is_full_is_left_alone(stage: Stage, counts: Counts) -> None:
    subscription = await stage.consume("work", 1)
    asked = await stage.talk.hears(commands.Basic.Consume)
    stage.talk.deliver(stage.talk.channel_of_this(asked), 1, b"", consumer=str(asked.consumer_tag))
    delivery = await stage.next()
    counts.ready = 4
    await counts.looked(5)
    assert (subscription.standing.condition, subscription.standing.restarts) == ("running", 0)
    assert not handle(delivery).channel.failed


async def test_one_that_gets_messages_is_not_asked_for(stage: Stage, counts: Counts) -> None:
    await stage.consume("busy", 1000)
    asked = await stage.talk.hears(commands.Basic.Consume)
    channel = stage.talk.channel_of_this(asked)
    await stage.consume("idle")
    await counts.looked(2)
    counts.asked.clear()
    for tag in range(1, 40):
        stage.talk.deliver(channel, tag, b"", consumer=str(asked.consumer_tag))
        await stage.next()
        await asyncio.sleep(0.005)
    assert counts.asked.count("idle") > counts.asked.count("busy")


async def test_a_queue_that_is_gone_means_that_its_consumer_is(stage: Stage, counts: Counts) -> None:
    subscription = await stage.consume("work")
    del stage.talk.answers[commands.Basic.Consume]
    await stage.talk.hears(commands.Basic.Consume)
    counts.gone = True
    await until(subscription, "down")
    assert "its queue is gone" in subscription.standing.why


async def test_one_that_was_given_less_gets_all_again(stage: Stage, counts: Counts) -> None:
    subscription = await stage.consume("work", 2)
    asked = await stage.talk.hears(commands.Basic.Consume)
    stage.talk.deliver(stage.talk.channel_of_this(asked), 1, b"", consumer=str(asked.consumer_tag))
    held = await stage.next()
    await subscription.restart()
    handle(held).ack()
    prefetches = [(await stage.talk.hears(commands.Basic.Qos)).prefetch_count for _ in range(3)]
    assert prefetches == [2, 1, 2]


async def test_it_ends_with_the_last_consumer(stage: Stage, counts: Counts) -> None:
    subscription = await stage.consume("work")
    await counts.looked(1)
    await subscription.stop()
    async with asyncio.timeout(5):
        while any(task.get_name() == "goatherd hearing" for task in asyncio.all_tasks()):
            await asyncio.sleep(0.005)
    assert stage.hosting.channels == 0
