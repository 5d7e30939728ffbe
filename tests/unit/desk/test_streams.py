from goatherd.desk.streams import streams
from goatherd.model.process import BUCKET, ProcessReport, ProcessState
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


async def test_gateways_tell_who_is_connected_and_how_much_they_get(shop: Shop, herd: Herd) -> None:
    app = shop.app
    nothing = await streams(app)
    assert (nothing.connections, nothing.events_per_second, nothing.gateways) == (0, 0.0, ())
    records = await app.session().control_records.processes()
    started = herd.now.timestamp()
    for role, connections in (("gateway", 3), ("worker", 0)):
        state = ProcessState(
            id=f"host:1:{role}", host="host", pid=1, roles=(role,), version="1", started=started, streams=connections
        )
        await records.report(ProcessReport(state=state, number=1, stream_events=60), 600.0)
    await herd.advance(BUCKET)
    found = await streams(app)
    assert (found.connections, [each.process for each in found.gateways]) == (3, ["host:1:gateway"])
    assert sum(point.events for point in found.series) == 120
    assert found.events_per_second == 120 / (3 * BUCKET)
