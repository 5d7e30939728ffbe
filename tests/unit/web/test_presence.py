"""What operators see of a gateway."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.errors import Unavailable
from goatherd.model.process import ProcessState
from goatherd.testing.suites.event_store import Author, done
from goatherd.web.gateway import Gateway
from tests.unit.web.visitor import Visitor

#: Seconds that a slow machine may take.
PATIENCE = 30.0

pytestmark = pytest.mark.parametrize("settings", [{"report_every": 0.2}], indirect=True)


async def seen(app: Goatherd, come: Callable[[list[ProcessState]], bool]) -> list[ProcessState]:
    """What is on record, once it is as the test waits for."""
    async with Goatherd("shop", broker_url=app.settings.broker_url) as other:
        records = await other.session().control_records.processes()
        async with asyncio.timeout(PATIENCE):
            while not come(found := [row.state for row in await records.find()]):
                await asyncio.sleep(0.02)
        return found


async def events_counted(app: Goatherd) -> int:
    async with Goatherd("shop", broker_url=app.settings.broker_url) as other:
        samples = await (await other.session().control_records.processes()).throughput(60, 10)
        return sum(each.stream_events for each in samples)


async def test_who_watches_is_counted(
    app: Goatherd, gateway: Gateway, visit: Callable[..., Visitor], author: Author
) -> None:
    await gateway.open()
    [state] = await seen(app, lambda found: any(each.roles == ("gateway",) for each in found))
    assert (state.streams, state.ready, state.reasons) == (0, True, ())
    first, second = visit(), visit()
    await seen(app, lambda found: any(each.streams == 2 for each in found))
    for number in range(10):
        await author.say(f"{number} ")
    await author.write(done())
    await asyncio.gather(first.task, second.task)
    await seen(app, lambda found: any(each.streams == 0 for each in found))
    await gateway.close()
    assert await seen(app, lambda found: not found) == []
    assert gateway.metrics.distributed >= 2
    assert await events_counted(app) == gateway.metrics.distributed


async def test_one_that_asks_now_and_then_is_counted_too(
    app: Goatherd, gateway: Gateway, visit: Callable[..., Visitor], author: Author
) -> None:
    await author.say("one")
    await visit({"wait": "5"}).task
    await gateway.close()
    assert await events_counted(app) == gateway.metrics.distributed


async def test_a_mounted_one_is_seen_with_its_first_client(
    app: Goatherd, gateway: Gateway, visit: Callable[..., Visitor], author: Author
) -> None:
    watching = visit()
    await seen(app, lambda found: any(each.streams == 1 for each in found))
    await author.write(done())
    await watching.task


async def test_each_app_has_its_own(app: Goatherd, settings: dict[str, Any], tmp_path: Any) -> None:
    other = Goatherd("chat", **{**settings, "broker_url": f"sqlite:///{tmp_path}/chat.db"})
    both = Gateway([app, other])
    await both.open()
    place = both.place
    (await place.showing.counts_of(app)).connections = 5
    assert (await place.showing.counts_of(other)).connections == 0
    await seen(app, lambda found: any(each.streams == 5 for each in found))
    await both.close()


async def test_one_that_cannot_read_events_is_not_ready(
    app: Goatherd, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def away(*_: object) -> None:
        raise Unavailable("the store is away")

    events = (await gateway.place.sources.of(app)).events
    monkeypatch.setattr(events, "state", away)
    await gateway.open()
    [state] = await seen(app, lambda found: any(each.roles == ("gateway",) for each in found))
    assert (state.ready, state.reasons) == (False, ("events: the store is away",))
