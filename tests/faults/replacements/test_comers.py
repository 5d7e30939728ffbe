"""Programs that start while a queue is replaced do not lead messages into both: the queue and its stand-in."""

from dataclasses import replace

import pytest

from goatherd.adapters.rabbitmq.failures import LinkLost
from goatherd.model.blueprint import BindingSpec, Blueprint, QueueSpec
from goatherd.model.stand_in import REPLACEMENTS_MARK, pause_mark_of, stand_in_of
from tests.faults.replacements.by_hand import Surgery
from tests.faults.replacements.shop import OWN, ROUTED, Shop

pytestmark = [pytest.mark.servers, pytest.mark.timeout(180)]


async def ways_to(surgeon: Surgery, queue: str) -> set[BindingSpec]:
    live = (await surgeon.plumbing.survey(Blueprint())).blueprint
    return {each for each in live.bindings if (each.destination_type, each.destination) == ("queue", queue)}


async def led_aside(surgeon: Surgery, queue: str) -> set[BindingSpec]:
    """As far as the messages of a queue are being moved, which is still there; its ways before."""
    live = (await surgeon.plumbing.survey(Blueprint())).blueprint
    there = live.queue(queue)
    assert there is not None
    await surgeon.plumbing.make_queue(QueueSpec(name=stand_in_of(queue), type=there.type))
    await surgeon.plumbing.make_queue(QueueSpec(name=pause_mark_of(queue), arguments=dict(REPLACEMENTS_MARK)))
    ways = await ways_to(surgeon, queue)
    for way in ways:
        await surgeon.plumbing.bind(replace(way, destination=stand_in_of(queue)))
        await surgeon.plumbing.unbind(way)
    return ways


@pytest.mark.parametrize("queue", [OWN, ROUTED])
async def test_who_starts_meanwhile_does_not_double_what_is_sent(url: str, surgeon: Surgery, queue: str) -> None:
    async with Shop(url).app:
        pass
    await led_aside(surgeon, queue)
    shop = Shop(url)
    async with shop.app.serve("worker"):
        await shop.tasks[queue].send("once")
        assert await ways_to(surgeon, queue) == set()
        crowd = await surgeon.plumbing.crowd(queue)
        assert crowd is not None
        assert crowd.messages == 0


async def test_who_connects_anew_meanwhile_does_not_double_what_is_sent(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    async with shop.app.serve("worker"):
        await led_aside(surgeon, OWN)
        for link in {shop.broker.link, shop.broker.asking}:
            connection = await link.connection()
            connection.fail(LinkLost("cut off by a test"))
        await shop.write.send("once")
        assert await ways_to(surgeon, OWN) == set()


async def test_a_queue_that_an_operator_has_paused_is_bound_all_the_same(url: str, surgeon: Surgery) -> None:
    async with Shop(url).app:
        pass
    ways = await ways_to(surgeon, OWN)
    for way in ways:
        await surgeon.plumbing.unbind(way)
    await surgeon.plumbing.make_queue(QueueSpec(name=pause_mark_of(OWN), arguments={"x-max-length": 0}))
    async with Shop(url).app:
        assert await ways_to(surgeon, OWN) == ways
