"""Of very many listeners on few channels, those whose queue cannot be consumed are put away, and all others work."""

import asyncio
import logging
import time

import pytest

from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.topology import Queue
from tests.faults.listeners.crowd import crowd, stranger

pytestmark = [pytest.mark.servers, pytest.mark.timeout(300)]

log = logging.getLogger(__name__)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("count", [300, pytest.param(3000, marks=pytest.mark.chaos)])
async def test_the_others_deliver(url: str, count: int) -> None:
    names = [f"machine-start-{number}" for number in range(count)]
    locked, occupied, well = names[7], names[8], [*names[:7], *names[9:]]
    async with crowd(url) as listeners, stranger(url) as somebody:
        await somebody.lock(locked)
        began = time.monotonic()
        with pytest.raises(Unavailable, match=locked):
            await listeners.declare(names[:100])
        await listeners.declare(names[100:])
        declared = time.monotonic()
        occupying = await somebody.occupy(occupied)
        await listeners.listen(names)
        listening = time.monotonic()
        await asyncio.gather(*(listeners.stands(name, "quarantined") for name in (locked, occupied)))
        await asyncio.gather(*(listeners.stands(name, "running") for name in well))
        assert listeners.conditions() == {"running": count - 2, "quarantined": 2}
        await listeners.hears(await listeners.send(well))
        assert sum(listeners.got.values()) == count - 2, "each came once"
        assert listeners.listeners[occupied].standing.why
        # Nobody was ended by it twice: after its first try it has only channels of its own.
        assert max(listeners.listeners[name].standing.restarts for name in well) <= 1
        await occupying.close()
        await listeners.listeners[occupied].restart()
        await listeners.stands(occupied, "running")
        await listeners.hears(await listeners.send([occupied]))
    log.info("%d queues declared in %.1f s, consumed in %.1f s", count, declared - began, listening - declared)


async def test_a_queue_with_other_arguments_is_named_and_the_rest_are_made(url: str) -> None:
    async with crowd(url) as listeners, crowd(url, "other") as other:
        await other.broker.declare([Queue(name="b", contract=True, type="classic", max_length=5)])
        with pytest.raises(TopologyMismatch, match="'b'"):
            await listeners.declare(["a", "b", "c"])
        await listeners.listen(["a", "b", "c"])
        await listeners.hears(await listeners.send(["a", "b", "c"]))
