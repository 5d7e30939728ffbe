"""Consumers that are given up while they are started, ended or looked at leave nothing behind and hold up nobody."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq import conduct, hosting
from goatherd.adapters.rabbitmq.host import Host
from tests.unit.adapters.rabbitmq.scripted_server import ScriptedServer
from tests.unit.adapters.rabbitmq.stage import Stage, until


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conduct, "FIRST_PAUSE", 0.01)


@pytest.fixture
async def stage(server: ScriptedServer) -> AsyncIterator[Stage]:
    stage = Stage(server)
    await stage.open()
    yield stage
    await stage.close()


@pytest.mark.parametrize("leave", ["stop", "pause"])
async def test_who_waits_for_the_start_of_one_that_is_stopped_goes_on(stage: Stage, leave: str) -> None:
    one = await stage.consume("a")
    stage.hosting.recovery._free = asyncio.Semaphore(0)  # it is never its turn
    restarting = asyncio.create_task(one.restart())
    await stage.talk.hears(commands.Basic.Cancel)
    async with asyncio.timeout(5):
        while not stage.hosting.recovery.expects(one):
            await asyncio.sleep(0)
        await getattr(one, leave)()
        await restarting


async def test_a_channel_to_which_somebody_has_come_meanwhile_is_not_given_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting, "MOST_CONSUMERS", 1)
    first, second = await stage.consume("a"), await stage.consume("b")
    monkeypatch.setattr(hosting, "MOST_CONSUMERS", 200)
    there = second.host
    assert there is not None
    there._room = 200
    await first.stop()
    await second.stop()
    close = Host.close

    async def slowly(host: Host) -> None:
        if host is not there:
            # While this one is closed, somebody takes a place on the other.
            there.seat(second)
        await close(host)

    monkeypatch.setattr(Host, "close", slowly)
    await stage.hosting.sweep()
    assert there.channel.failed is None
    there.leave(second)
    await stage.hosting.sweep()
    assert there.channel.failed is not None
    assert stage.hosting.channels == 0


async def test_nothing_stays_of_a_consumer_of_which_the_broker_said_nothing(stage: Stage) -> None:
    one = await stage.consume("a")
    other = await stage.consume("b")
    host = one.host
    assert host is not None
    for _ in range(3):
        one.cancelled("its queue is gone")
        assert one.standing.condition == "down"
        await until(one, "running")
    assert len(host._by_tag) == 2
    await other.stop()
    tag = one.tag
    stage.talk.deliver(host.channel.number, 1, b"", consumer="1")
    nack = await stage.talk.hears(commands.Basic.Nack)
    assert (nack.delivery_tag, nack.requeue) == (1, True), "not for the only one that is left"
    stage.talk.deliver(host.channel.number, 2, b"mine", consumer=tag)
    assert (await stage.next()).message.body == b"mine"
