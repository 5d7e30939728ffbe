"""The checker of the crash run must catch what it is for."""

from dataclasses import replace
from pathlib import Path

from tests.faults.pipelines.judge import Evidence, Journal, Recorded, Start, Unit, judge, read_journal

GATHER, WASH, SHEAR = "step/r/gather", "step/r/wash/0", "step/r/shear/0"


def start(unit: Unit, token: int, moment: float = 1.0, pid: int = 1) -> Start:
    return Start(unit=unit, token=token, moment=moment, pid=pid)


def done(token: int, ended: float = 2.0, state: str = "done") -> Recorded:
    return Recorded(state=state, token=token, ended=ended)


JOURNAL = Journal(
    starts=[start(GATHER, 1), start(WASH, 2), start(SHEAR, 3), start(SHEAR, 4)],
    ended=frozenset({(GATHER, 1), (WASH, 2), (SHEAR, 4)}),
)
CLEAN = Evidence(
    runs=["r"],
    ends={"r": "done"},
    # The second goat was washed in the same batch as the first.
    results={"r": {GATHER: 1, WASH: 2, "step/r/wash/1": 2, SHEAR: 4}},
    wanted=frozenset({GATHER, SHEAR}),
    records={GATHER: done(1), WASH: done(2), SHEAR: done(4)},
    effects=[(GATHER, 1), (SHEAR, 4)],
    told={"r": 1},
    journal=JOURNAL,
)


def with_starts(*more: Start) -> Evidence:
    return replace(CLEAN, journal=replace(JOURNAL, starts=[*JOURNAL.starts, *more]))


def test_a_clean_history_has_no_findings() -> None:
    verdict = judge(CLEAN)
    assert verdict.clean, str(verdict)
    assert (verdict.starts, verdict.repeats) == (4, 1)


def test_a_run_that_did_not_end_or_was_told_twice() -> None:
    assert judge(replace(CLEAN, ends={"r": "running"})).unfinished == {"r"}
    assert judge(replace(CLEAN, told={"r": 2})).unfinished == {"r"}


def test_a_lost_a_second_and_an_unasked_effect() -> None:
    assert judge(replace(CLEAN, effects=[(GATHER, 1)])).lost == {SHEAR}
    assert judge(replace(CLEAN, effects=[*CLEAN.effects, (SHEAR, 3)])).duplicates == 1
    assert judge(replace(CLEAN, effects=[*CLEAN.effects, ("step/r/other", 3)])).unasked == {"step/r/other"}


def test_a_result_of_another_attempt_than_the_one_that_had_the_effect() -> None:
    assert judge(replace(CLEAN, effects=[(GATHER, 1), (SHEAR, 3)])).miscounted == {SHEAR}
    assert judge(replace(CLEAN, results={"r": {WASH: 9}})).miscounted == {WASH}


def test_what_was_handed_out_after_it_was_done() -> None:
    verdict = judge(with_starts(start(WASH, 5, moment=3.0)))
    assert verdict.handed_out_again == verdict.late == {WASH}
    assert not verdict.clean


def test_what_began_late_counts_unless_its_process_stood_still() -> None:
    late = with_starts(start(WASH, 1, moment=3.0, pid=7))
    assert judge(late).late == {WASH}
    assert judge(replace(late, frozen={7: [(1.0, 2.9)]})).clean
    assert judge(replace(late, frozen={7: [(0.5, 1.0)], 8: [(1.0, 2.9)]})).late == {WASH}


def test_what_is_left() -> None:
    held = replace(CLEAN, records={**CLEAN.records, SHEAR: done(4, state="ready")}, left=["a letter"])
    assert judge(held).left == {SHEAR, "a letter"}


def test_journals_are_read(tmp_path: Path) -> None:
    (tmp_path / "1.log").write_text(f"up - 0 1.0\nstart {GATHER} 1 1.0\nend {GATHER} 1 1.5\ncopies - 3 2.0\n")
    (tmp_path / "2.log").write_text(f"start {SHEAR} 3 1.0\ncopies - 2 2.0\n")
    journal = read_journal(tmp_path)
    assert sorted(journal.starts, key=lambda each: each.pid) == [start(GATHER, 1), start(SHEAR, 3, pid=2)]
    assert journal.ended == {(GATHER, 1)}
    assert journal.copies == 5
