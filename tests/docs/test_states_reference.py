"""Every state that commands, pages and events can show is explained."""

from typing import get_args

import pytest

from goatherd.model.event import FailedReason
from goatherd.model.job_state import Status
from goatherd.model.listener import Condition
from goatherd.model.run_record import RunState, UnitState
from goatherd.model.schedule import FiringState
from tests.docs.markdown import section
from tests.docs.tables import REFERENCE, read, rows


@pytest.mark.parametrize(
    ("heading", "states"),
    [
        ("Of a tick", get_args(FiringState)),
        ("Of a listener", get_args(Condition)),
        ("From the job's side", get_args(Status)),
    ],
)
def test_every_state_has_its_row_and_no_other(heading: str, states: tuple[str, ...]) -> None:
    assert set(rows(section(REFERENCE / "states.md", heading))) == set(states)


@pytest.mark.parametrize("states", [get_args(RunState), get_args(UnitState)])
def test_every_state_of_a_run_and_of_its_steps_has_its_row(states: tuple[str, ...]) -> None:
    table = section(REFERENCE / "states.md", "In a pipeline").splitlines()
    told = {line.strip("| ").partition(" | ")[0] for line in table if line.startswith("| ")}
    assert set(states) - told == set()


def test_every_way_in_which_a_tracked_job_fails_is_told() -> None:
    assert [reason for reason in get_args(FailedReason) if f"`{reason}`" not in read("http.md")] == []
