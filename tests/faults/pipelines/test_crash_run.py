"""Every message comes up to four times, workers are killed and frozen, stores wiped and restarted: all is done once."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from scripts.servers.postgres import Postgres, ensure_postgres
from tests.faults.pipelines.crash_run import CrashRun, Outcome, Plan, System
from tests.faults.pipelines.systems import PipelinesInFile, PipelinesOnServers

#: The short run has no time to wait until workers are told again of what the broker has lost.
SHORT = Plan(runs=10, goats=10, concurrency=2, lasts=150.0, pause=(0.2, 0.5), tell_again=2.0, seed=7)
LONG = Plan(runs=100, goats=50, workers=6, pause=(0.4, 1.4), seed=2026)

ON_SERVERS = [pytest.mark.servers("rabbitmq", "postgres"), pytest.mark.xdist_group("own postgres")]
STORES = ["sqlite", pytest.param("servers", marks=ON_SERVERS)]

Make = Callable[[Plan], System]


@pytest.fixture
def sqlite(tmp_path: Path) -> Make:
    return lambda plan: PipelinesInFile(tmp_path, plan)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Make]:
    ensure_postgres()
    broker = management()
    with Postgres(tmp_path / "postgres") as server, broker.virtual_host() as host:
        url = with_virtual_host(amqp_url(), host)
        yield lambda plan: PipelinesOnServers(tmp_path, plan, url, broker, server)


@pytest.fixture
def make(store: str, request: pytest.FixtureRequest) -> Make:
    found: Make = request.getfixturevalue(store)
    return found


def check(outcome: Outcome, capsys: pytest.CaptureFixture[str], name: str) -> None:
    with capsys.disabled():
        print(f"\npipelines on {name}: {outcome}")  # noqa: T201 - the figures are for a person
    assert outcome.verdict.clean, str(outcome)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("store", ["sqlite", pytest.param("servers", marks=[*ON_SERVERS, pytest.mark.chaos])])
async def test_a_short_run(store: str, make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = await CrashRun(tmp_path, SHORT, make(SHORT)).run()
    check(outcome, capsys, store)
    assert outcome.kills
    assert outcome.freezes


@pytest.mark.chaos
@pytest.mark.parametrize("store", STORES)
async def test_a_hundred_runs(store: str, make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = await CrashRun(tmp_path, LONG, make(LONG)).run()
    check(outcome, capsys, store)
    assert outcome.kills >= 5
    assert outcome.freezes >= 3
    assert outcome.wiped > 0


@pytest.mark.chaos
async def test_what_the_fence_is_for(sqlite: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Attempts are repeated where workers die, and so are effects that do not ask whose turn it is."""
    plan = replace(LONG, runs=30, fenced=False, tell_again=SHORT.tell_again, pause=SHORT.pause)
    outcome = await CrashRun(tmp_path, plan, sqlite(plan)).run()
    with capsys.disabled():
        print(f"\npipelines without the fence: {outcome}")  # noqa: T201 - the figures are for a person
    verdict = outcome.verdict
    assert verdict.duplicates
    assert [*verdict.unfinished, *verdict.handed_out_again, *verdict.left] == []
