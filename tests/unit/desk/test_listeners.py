import pytest

from goatherd.desk import listeners
from goatherd.desk.errors import NotThere
from goatherd.model.listener import ListenerRow, Standing
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


@pytest.fixture
async def reported(shop: Shop, herd: Herd) -> Shop:
    """Two listeners of one worker, of which one ails."""
    well = Standing(condition="running", since=1.0, last_delivery=2.0)
    ailing = Standing(condition="quarantined", since=1.0, failures=5, why="no such queue")
    rows = [
        ListenerRow(process="host:1:a", pattern="table-{}", queue=queue, standing=standing)
        for queue, standing in (("table-1", well), ("table-2", ailing))
    ]
    records = await shop.app.session().recurring.listeners()
    await records.report("host:1:a", rows, (), 60.0)
    return shop


async def test_the_ailing_ones_come_first(reported: Shop) -> None:
    [first, second] = await listeners.listeners(reported.app)
    assert (first.queue, first.healthy, first.why) == ("table-2", False, "no such queue")
    assert second.last_delivery is not None
    assert [each.queue for each in await listeners.listeners(reported.app, unhealthy=True)] == ["table-2"]
    assert await listeners.listeners(reported.app, pattern="chair-{}") == []
    counted = await listeners.counts(reported.app)
    assert (counted.total, counted.unhealthy, counted.quarantined) == (2, 1, 1)
    assert listeners.patterns(reported.app) == ["table-{}"]


async def test_one_is_started_anew(reported: Shop) -> None:
    assert await listeners.restart(reported.app, "table-2") == 1
    with pytest.raises(NotThere, match="No worker that lives has a listener for 'table-9'"):
        await listeners.restart(reported.app, "table-9")
