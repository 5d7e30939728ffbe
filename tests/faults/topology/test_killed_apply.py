"""`apply` is killed after each of its steps, and the next one goes on: the same end, and nothing is lost."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.acceptance.topology.ground import Ground
from tests.faults.topology.death import Moment, Outcome, check, left_by, play_all
from tests.faults.topology.mortal import MENDED
from tests.faults.topology.on_paper import LEFT_BY_OLD_TASKIQ, steps_on_paper

pytestmark = [
    pytest.mark.servers("rabbitmq", "taskiq"), pytest.mark.xdist_group("killed apply"), pytest.mark.timeout(400),
]  # fmt: skip

#: What it takes to mend what TaskIQ left, in order: that is known before there is a broker, and so each has a test.
STEPS = asyncio.run(steps_on_paper(LEFT_BY_OLD_TASKIQ))
#: Those in whose middle one can die.
MOVES = tuple(number for number, step in enumerate(STEPS, 1) if step.startswith("move"))
#: Lives at the same time.
AT_ONCE = 4


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Moment, Outcome]:
    """Of everyone's death."""
    folder = tmp_path_factory.mktemp("steps")
    before = left_by(Ground.let_old_taskiq_in, folder)
    assert replace(before, vhost=LEFT_BY_OLD_TASKIQ.vhost) == LEFT_BY_OLD_TASKIQ
    moments = [(0, 0), *((number, 0) for number in range(1, len(STEPS) + 1)), *((0, number) for number in MOVES)]
    return asyncio.run(play_all(before, folder, moments, at_once=AT_ONCE))


def test_without_a_death(outcomes: Mapping[Moment, Outcome]) -> None:
    whole = outcomes[0, 0]
    assert whole.exit_codes == [MENDED]
    assert whole.steps == STEPS
    assert whole.found == dict.fromkeys(whole.sent, 1)


@pytest.mark.parametrize("number", range(1, len(STEPS) + 1), ids=lambda number: STEPS[number - 1])
def test_killed_after(number: int, outcomes: Mapping[Moment, Outcome]) -> None:
    check(outcomes[number, 0], outcomes[0, 0])


@pytest.mark.parametrize("number", MOVES, ids=lambda number: STEPS[number - 1])
def test_killed_in_the_middle_of(number: int, outcomes: Mapping[Moment, Outcome]) -> None:
    check(outcomes[0, number], outcomes[0, 0])
