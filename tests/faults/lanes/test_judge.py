"""The checkers of the crash run must catch what they are for."""

from collections.abc import Sequence
from pathlib import Path

from tests.faults.lanes.judge import Job, Journal, Run, Verdict, judge, read_journal
from tests.faults.lanes.usage import Outages, Sample, measure

ACCEPTED: list[Job] = [("a", 1), ("b", 1), ("a", 2), ("b", 2), ("a", 3)]
NO_RUNS = Journal(runs=[], up={})


def verdict_of(effects: Sequence[Job]) -> Verdict:
    return judge(ACCEPTED, effects, NO_RUNS)


def test_a_clean_history_has_no_findings() -> None:
    """Keys need not keep step with each other."""
    verdict = verdict_of([("a", 1), ("a", 2), ("a", 3), ("b", 1), ("b", 2)])
    assert verdict.clean
    assert verdict.accepted == 5


def test_a_job_without_effect_is_lost() -> None:
    verdict = verdict_of([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    assert verdict.lost == {("a", 3)}
    assert not verdict.clean


def test_a_job_that_was_skipped_over_is_lost_and_nothing_else() -> None:
    verdict = verdict_of([("a", 1), ("a", 3), ("b", 1), ("b", 2)])
    assert verdict.lost == {("a", 2)}
    assert not verdict.out_of_order


def test_a_job_that_was_overtaken_is_out_of_order() -> None:
    verdict = verdict_of([("a", 2), ("a", 1), ("a", 3), ("b", 1), ("b", 2)])
    assert verdict.out_of_order == {("a", 1)}
    assert not verdict.clean


def test_the_late_effect_of_a_zombie_is_one_that_is_out_of_order() -> None:
    verdict = verdict_of([("a", 2), ("a", 3), ("a", 1), ("b", 1), ("b", 2)])
    assert verdict.out_of_order == {("a", 1)}


def test_a_second_effect_is_a_duplicate_and_not_out_of_order() -> None:
    verdict = verdict_of([("a", 1), ("a", 2), ("a", 1), ("a", 3), ("b", 1), ("b", 2), ("b", 2)])
    assert (verdict.duplicates, verdict.out_of_order) == (2, frozenset())
    assert not verdict.clean


def test_an_effect_that_nobody_asked_for_is_told() -> None:
    verdict = verdict_of([("a", 1), ("a", 2), ("a", 3), ("b", 1), ("b", 2), ("b", 3)])
    assert verdict.unasked == {("b", 3)}
    assert not verdict.clean


def test_what_is_left_in_a_lane_is_told() -> None:
    verdict = judge([("a", 1)], [("a", 1)], NO_RUNS, left=["a"])
    assert verdict.undrained == {"a"}
    assert not verdict.clean


def test_runs_may_repeat_and_overlap_but_are_counted(tmp_path: Path) -> None:
    (tmp_path / "1.log").write_text("up - 0 1.0\nstart a 1 2.0\nend a 1 9.0\nstart b 1 9.5\n")
    (tmp_path / "2.log").write_text("up - 0 1.5\nstart a 1 4.0\nend a 1 5.0\nstart a 2 6.0\nend a 2 7.0\n")
    journal = read_journal(tmp_path)
    assert journal.up == {1: 1.0, 2: 1.5}
    assert Run(job=("b", 1), pid=1, start=9.5) in journal.runs
    verdict = judge([("a", 1), ("a", 2)], [("a", 1), ("a", 2)], journal)
    assert (verdict.repeats, verdict.overlaps, verdict.clean) == (1, 2, True)


def test_a_process_may_have_a_job_twice(tmp_path: Path) -> None:
    """It lost the lane, and got it again before it had noticed."""
    (tmp_path / "1.log").write_text("start a 1 1.0\nstart a 1 4.0\nend a 1 5.0\nend a 1 6.0\n")
    journal = read_journal(tmp_path)
    assert [(run.start, run.end) for run in journal.runs] == [(1.0, 5.0), (4.0, 6.0)]
    assert judge([("a", 1)], [("a", 1)], journal).overlaps == 1


def runs(*those: tuple[int, float, float | None]) -> list[Run]:
    return [Run(job=(str(place), 1), pid=pid, start=start, end=end) for place, (pid, start, end) in enumerate(those)]


def test_use_is_what_runs_of_what_could_run() -> None:
    journal = Journal(runs=runs((1, 1.0, 9.0), (1, 1.0, 9.0), (2, 1.0, 9.0)), up={1: 0.0, 2: 0.0})
    usage = measure([Sample(5.0, ready=1)], journal, Outages(), concurrency=2)
    assert (usage.taken, usage.places, usage.share) == (3, 4, 0.75)


def test_a_sample_counts_only_if_there_is_enough_to_do() -> None:
    journal = Journal(runs=runs((1, 1.0, 2.0)), up={1: 0.0})
    usage = measure([Sample(1.5, ready=0), Sample(1.5, ready=1), Sample(3.0, ready=1)], journal, Outages(), 2)
    assert (usage.taken, usage.places, usage.counted, usage.samples) == (1, 2, 1, 3)


def test_the_dead_the_frozen_and_those_who_are_not_up_yet_do_not_count() -> None:
    journal = Journal(runs=runs((1, 1.0, None), (2, 1.0, 9.0), (3, 1.0, 9.0)), up={1: 0.0, 2: 0.0, 3: 0.0, 4: 8.0})
    outages = Outages(frozen={2: [(3.0, 6.0)]}, dead={1: 4.0})
    usage = measure([Sample(2.0, 9), Sample(5.0, 9), Sample(7.0, 9)], journal, outages, concurrency=1)
    assert (usage.taken, usage.places) == (3 + 1 + 2, 3 + 1 + 2)


def test_an_idle_worker_beside_ready_lanes_is_seen() -> None:
    journal = Journal(runs=runs((1, 1.0, 9.0)), up={1: 0.0, 2: 0.0})
    assert measure([Sample(5.0, ready=7)], journal, Outages(), concurrency=1).share == 0.5
