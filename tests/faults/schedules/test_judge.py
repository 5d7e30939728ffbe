"""The checker finds what must not be, and nothing else."""

from dataclasses import replace

import pytest

from goatherd.model.schedule import Firing
from tests.faults.schedules.judge import Evidence, Round, judge


def firing(schedule: str, tick: float, state: str = "done") -> Firing:
    return Firing(schedule=schedule, tick=tick, id=f"{schedule}@{tick:g}", state=state, fired=tick)  # type: ignore[arg-type]


STRIKES = [firing("strike", tick) for tick in (12.0, 11.0, 10.0)]
WALKS = [firing("walk", tick) for tick in (12.5, 10.5)]
ALL = [*STRIKES, *WALKS]
GOOD = Evidence(
    every=1.0,
    rests=0.3,
    strikes=STRIKES,
    walks=WALKS,
    ends={each.id: "done" for each in ALL},
    effects=[f"step/{each.id}/step" for each in ALL],
    rounds=[
        Round(run="walk@10.5", token=1, pid=1, start=10.5),
        Round(run="walk@10.5", token=2, pid=2, start=11.0, fenced=True),
        Round(run="walk@10.5", token=3, pid=3, start=11.5, end=12.0),
        Round(run="walk@12.5", token=4, pid=3, start=12.4, end=12.6),
    ],
    killed=[1],
    frozen=[2],
)


def test_what_is_well_is_well() -> None:
    verdict = judge(GOOD)
    assert verdict.problems == []
    assert (verdict.ticks, verdict.walks, verdict.fenced) == (3, 2, 1)


def test_an_attempt_that_was_frozen_may_end_beside_others_without_an_effect() -> None:
    late = Round(run="walk@10.5", token=2, pid=2, start=11.0, end=12.5, found=True)
    assert judge(replace(GOOD, rounds=[GOOD.rounds[0], late, *GOOD.rounds[2:]])).problems == []


BESIDE = Round(run="walk@12.5", token=4, pid=3, start=12.2, end=12.6)
AGAIN = Round(run="walk@10.5", token=4, pid=3, start=12.4, end=12.6)


@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        (replace(GOOD, strikes=[STRIKES[0], STRIKES[2]]), "tick 11 is not on record"),
        (replace(GOOD, strikes=[*STRIKES, STRIKES[0]]), "tick 12 is on record 2 times"),
        (replace(GOOD, strikes=[firing("strike", 12.0, "missed"), *STRIKES[1:]]), "strike@12 is missed"),
        (replace(GOOD, ends={**GOOD.ends, "strike@11": "failed"}), "its run failed"),
        (replace(GOOD, ends={**GOOD.ends, "strike@99": "done"}), "strike@99 is a run, and never fired"),
        (replace(GOOD, effects=GOOD.effects[1:]), "strike@12 had 0 effects"),
        (replace(GOOD, effects=[*GOOD.effects, *GOOD.effects[:1]]), "strike@12 had 2 effects"),
        (replace(GOOD, effects=[*GOOD.effects, "step/other/step"]), "other had an effect, and never fired"),
        (replace(GOOD, rounds=[*GOOD.rounds[:3], BESIDE]), "walk@12.5 began 0.200 s after the end"),
        (replace(GOOD, rounds=[*GOOD.rounds[:3], AGAIN]), "walk@10.5 was done twice"),
        (replace(GOOD, killed=[]), "which was not killed"),
        (replace(GOOD, frozen=[]), "which was not frozen"),
    ],
)
def test_what_must_not_be_is_found(evidence: Evidence, told: str) -> None:
    problems = judge(evidence).problems
    assert any(told in problem for problem in problems), problems
