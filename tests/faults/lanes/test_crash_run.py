"""Workers are killed and frozen past their leases: every effect is made once, in the order of its key."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest

from scripts.servers.addresses import postgres_url
from scripts.servers.redis import Redis
from tests.faults.lanes.crash_run import CrashRun, Outcome, Plan
from tests.faults.lanes.systems import LaneSystem, PlainSystem


class Terms(TypedDict):
    """Of all systems."""

    lease: float
    concurrency: int


SHORT = Plan(jobs=1500, keys=40, workers=4, cold=(10.0, 40.0), pause=(0.3, 0.9), seed=7)
LONG = Plan(jobs=20_000, seed=2026)
TERMS: Terms = {"lease": SHORT.lease, "concurrency": SHORT.concurrency}


STORES = [
    "sqlite",
    pytest.param("redis", marks=[pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis")]),
    pytest.param("postgres", marks=pytest.mark.servers("postgres")),
]


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[LaneSystem]:
    with Redis(tmp_path / "redis") as server:
        yield LaneSystem(tmp_path, server.url, **TERMS)


@pytest.fixture
def sqlite(tmp_path: Path) -> LaneSystem:
    return LaneSystem(tmp_path, f"sqlite:///{tmp_path}/lanes.db", **TERMS)


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[LaneSystem]:
    name = f"crash_{uuid4().hex}"
    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        url = urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
        yield LaneSystem(tmp_path, url, with_lane=True, **TERMS)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[PlainSystem]:
    with Redis(tmp_path / "redis") as server:
        yield PlainSystem(tmp_path, server.url, **TERMS)


def check(outcome: Outcome, capsys: pytest.CaptureFixture[str], name: str) -> None:
    with capsys.disabled():
        print(f"\nlanes on {name}: {outcome}")  # noqa: T201 - the figures are for a person
    assert outcome.verdict.clean, str(outcome)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("store", STORES[:1])
async def test_a_short_run(
    store: str, request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = await CrashRun(tmp_path, SHORT, request.getfixturevalue(store)).run()
    check(outcome, capsys, store)
    assert outcome.kills + outcome.freezes >= 3


@pytest.mark.chaos
@pytest.mark.parametrize("store", STORES)
async def test_twenty_thousand_jobs(
    store: str, request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = await CrashRun(tmp_path, LONG, request.getfixturevalue(store)).run()
    check(outcome, capsys, store)
    assert outcome.kills >= 20
    assert outcome.freezes >= 10
    assert outcome.usage.counted >= 20
    assert outcome.usage.share >= 0.8, str(outcome)


@pytest.mark.chaos
@pytest.mark.servers("redis")
async def test_what_the_plain_design_loses(
    plain: PlainSystem, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Figures for the documentation."""
    outcome = await CrashRun(tmp_path, LONG, plain).run()
    with capsys.disabled():
        print(f"\nthe plain design: {outcome}")  # noqa: T201 - the figures are for a person
    assert not outcome.verdict.clean
    assert outcome.verdict.lost
