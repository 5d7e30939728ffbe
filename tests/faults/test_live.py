"""The event path under fire: every client sees every event once, in order, and the text to the last character."""

from pathlib import Path

import pytest

from tests.faults.live.arena import Build
from tests.faults.live.driver import Plan, storm
from tests.faults.live.harm import (
    gateway_killed,
    job_expired,
    lines_cut,
    redis_killed,
    router_killed,
    scribe_frozen,
    scribe_killed,
    subscribers_killed,
)
from tests.faults.live.tally import Tally

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis")]

#: What can be done to those who share a file.
PROCESSES = (gateway_killed, router_killed, scribe_killed, scribe_frozen)
EVERYTHING = (
    *PROCESSES, redis_killed, lines_cut, subscribers_killed, job_expired,
)  # fmt: skip


def check(tally: Tally) -> None:
    print(f"\n{tally}")  # noqa: T201 - the figures are for a person
    assert tally.clean, str(tally)


@pytest.mark.timeout(180)
async def test_a_short_storm_shows_every_client_everything_once(tmp_path: Path) -> None:
    plan = Plan(jobs=24, lost=0.2, doubled=0.05, harms=EVERYTHING, respite=0.8, at_once=12)
    check(await storm(tmp_path, Build(), plan, seed=7))


@pytest.mark.timeout(180)
async def test_a_short_storm_on_a_file_shows_every_client_everything_once(tmp_path: Path) -> None:
    plan = Plan(jobs=8, harms=PROCESSES, respite=0.8, at_once=6)
    check(await storm(tmp_path, Build(on_file=True), plan, seed=7))


@pytest.mark.chaos
@pytest.mark.timeout(180)
async def test_a_short_storm_with_a_live_server_of_its_own(tmp_path: Path) -> None:
    plan = Plan(jobs=8, lost=0.2, doubled=0.05, harms=EVERYTHING, respite=0.8, at_once=6)
    check(await storm(tmp_path, Build(live_apart=True), plan, seed=7))


@pytest.mark.chaos
async def test_a_long_storm_with_a_live_server_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = Plan(jobs=130, lost=0.01, doubled=0.05, harms=EVERYTHING, respite=0.8, at_once=10)
    tally = await storm(tmp_path, Build(live_apart=True), plan, seed=2026)
    with capsys.disabled():
        print("\nlive messages by a server of its own")  # noqa: T201
        check(tally)


@pytest.mark.chaos
async def test_a_long_storm_on_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = Plan(jobs=130, harms=PROCESSES, respite=0.8, at_once=10)
    tally = await storm(tmp_path, Build(on_file=True), plan, seed=2026)
    with capsys.disabled():
        print("\nevents in a file")  # noqa: T201
        check(tally)


@pytest.mark.chaos
@pytest.mark.parametrize("lost", [0.0, 0.01, 0.2, 0.9])
async def test_ten_thousand_clients_in_a_long_storm(
    lost: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan(jobs=330, lost=lost, doubled=0.05, harms=EVERYTHING, respite=0.8, at_once=20)
    tally = await storm(tmp_path, Build(), plan, seed=2026)
    with capsys.disabled():
        print(f"\nlive messages lost: {lost:.0%}")  # noqa: T201
        check(tally)
    assert tally.sessions >= 2500
