"""What the plain flow loses under the same driver: figures for the documentation."""

from pathlib import Path

import pytest

from tests.faults.live.driver import Plan, storm
from tests.faults.live.harm import gateway_killed, lines_cut, redis_killed, router_killed, scribe_killed
from tests.faults.live.naive import BUILD, HABITS, STAYING

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis"), pytest.mark.chaos]

CALM = Plan(jobs=60, habits=STAYING, latest=0.0, failing=0.0, redelivered=0.0, patience=10)
RUNS = {
    "all is well, clients come before the first event and stay": CALM,
    "all is well, clients come at any time and come back": Plan(
        jobs=60, habits=HABITS, failing=0.0, redelivered=0.0, patience=10
    ),
    "1 % of live messages lost, clients stay": Plan(
        jobs=60, habits=STAYING, latest=0.0, failing=0.0, redelivered=0.0, lost=0.01, patience=10
    ),
    "attempts fail, clients stay": Plan(
        jobs=60, habits=STAYING, latest=0.0, failing=0.5, redelivered=0.0, patience=10
    ),
    "processes are killed and lines cut, clients come back": Plan(
        jobs=60, habits=HABITS, lost=0.01, patience=10,
        harms=(gateway_killed, router_killed, scribe_killed, redis_killed, lines_cut),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
async def test_the_plain_flow_loses_events(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tally = await storm(tmp_path, BUILD, RUNS[name], seed=1)
    with capsys.disabled():
        print(f"\nthe plain flow; {name}:\n{tally}")  # noqa: T201 - the figures are for a person
    if RUNS[name] is not CALM:
        assert tally.faulty
