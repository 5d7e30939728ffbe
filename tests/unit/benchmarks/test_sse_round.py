from pathlib import Path

import pytest

from benchmarks.measures import Plan
from benchmarks.rounds import measure
from benchmarks.settings import Entry
from benchmarks.sse import measures
from benchmarks.sse.service import unsent_in

SHORT = Plan(seconds=0.05, repeat=1, crowd=40)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"CLIENTS": 20, "JOBS": 20, "RETURNS": 3, "STORM_JOBS": 20, "BESIDE": 5, "STALLED": 2, "PAIRS": 1, "TURNS": 1}
    for name, count in few.items():
        monkeypatch.setattr(measures, name, count)


async def test_a_gateway_that_forgets_is_measured_by_what_it_sends(tmp_path: Path) -> None:
    entry = Entry(setting="sse", name="raw_protocol")
    sample = await measure(entry, entry.load(), tmp_path, SHORT)
    assert set(sample) == {"fan_out", "fan_out_rate", "idle_memory"}


@pytest.mark.timeout(120)
async def test_our_gateway_gives_every_figure(tmp_path: Path) -> None:
    entry = Entry(setting="sse_clients", name="goatherd_sqlite")
    sample = await measure(entry, entry.load(), tmp_path, SHORT)
    lists = {"live_latencies", "resume_latencies"}
    numbers = {"idle_memory_own", "stalled", "beside_stalled", "storm"}
    assert set(sample) == lists | numbers
    assert all(sample[name] for name in lists)


def test_what_the_kernel_holds_is_told_for_connections_of_the_server_alone() -> None:
    lines = [
        "0: 0100007F:1F90 0100007F:D431 01 00000010:00000020 00:00000000 00000000 0 0 1 1 0 20 4 30 10 -1",
        "1: 0100007F:D431 0100007F:1F90 01 00000030:00000000 00:00000000 00000000 0 0 1 1 0 20 4 30 10 -1",
        "2: 0100007F:1F90 00000000:0000 0A 00000000:00000001 00:00000000 00000000 0 0 1 1 0 100 0 0 10 0",
    ]
    assert list(unsent_in(lines, 8080)) == [16]
