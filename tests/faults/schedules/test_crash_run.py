"""Processes are killed and frozen, and their clocks differ: each tick fires once, and rounds never overlap."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from scripts.servers.postgres import Postgres, ensure_postgres
from tests.faults.schedules.crash_run import CrashRun, Outcome, Plan

SHORT = Plan(seconds=7.0, pause=(0.4, 1.0))
LONG = Plan(seconds=120.0, seed=2026)
#: Seconds by which clocks are wrong where the database's own counts.
SKEW = 90.0

ON_SERVERS = [pytest.mark.servers("rabbitmq", "postgres"), pytest.mark.xdist_group("own postgres")]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[dict[str, str], str]]:
    ensure_postgres()
    with Postgres(tmp_path / "postgres") as server, management().virtual_host() as host:
        urls = {
            "broker_url": with_virtual_host(amqp_url(), host),
            "records_url": server.url,
            "events_url": f"sqlite:///{tmp_path}/events.db",
        }
        yield urls, server.url


def check(outcome: Outcome, plan: Plan, capsys: pytest.CaptureFixture[str], name: str) -> None:
    with capsys.disabled():
        print(f"\nschedules on {name}: {outcome}")  # noqa: T201 - the figures are for a person
    assert not outcome.verdict.problems, str(outcome)
    assert outcome.verdict.ticks >= plan.seconds / plan.every
    assert outcome.verdict.walks
    assert outcome.kills
    assert outcome.freezes


async def in_file(folder: Path, plan: Plan) -> Outcome:
    urls = {"broker_url": f"sqlite:///{folder}/goatherd.db"}
    return await CrashRun(folder, plan, urls, str(folder / "effects.db")).run()


@pytest.mark.timeout(240)
async def test_a_short_run_on_sqlite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(await in_file(tmp_path, SHORT), SHORT, capsys, "sqlite")


@pytest.mark.chaos
@pytest.mark.timeout(600)
async def test_two_minutes_on_sqlite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(await in_file(tmp_path, LONG), LONG, capsys, "sqlite")


@pytest.mark.chaos
@pytest.mark.timeout(600)
@pytest.mark.parametrize("plan", [pytest.param(LONG, marks=ON_SERVERS)])
async def test_two_minutes_on_postgres(
    plan: Plan, servers: tuple[dict[str, str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = replace(plan, skew=SKEW)
    check(await CrashRun(tmp_path, plan, *servers).run(), plan, capsys, "postgres, with clocks that are wrong")
