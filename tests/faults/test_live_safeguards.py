"""Each safeguard of the event path is needed: a run without it shows clients what they must never see."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults.live.ablations import ABLATIONS
from tests.faults.live.driver import storm
from tests.faults.live.trials import TRIALS

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis")]


def test_there_is_a_trial_for_every_safeguard() -> None:
    assert TRIALS.keys() == ABLATIONS.keys()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("safeguard", TRIALS)
async def test_without_it_clients_are_misled(safeguard: str, tmp_path: Path) -> None:
    trial = TRIALS[safeguard]
    tally = await storm(tmp_path, replace(trial.build, without=safeguard), trial.plan, seed=3)
    print(f"\nwithout {safeguard}: {tally}")  # noqa: T201 - the figures are for a person
    assert tally.faulty, f"nobody noticed that {safeguard} was missing"


@pytest.mark.chaos
@pytest.mark.parametrize("safeguard", TRIALS)
async def test_with_it_the_same_run_is_without_fault(safeguard: str, tmp_path: Path) -> None:
    trial = TRIALS[safeguard]
    tally = await storm(tmp_path, trial.build, trial.plan, seed=3)
    assert tally.clean, str(tally)
