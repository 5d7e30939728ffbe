"""The explainer itself must not explain what has no reason."""

from collections import Counter

from tests.faults.runs import Faults, Repeats, Run, explain

NO_FAULTS = Faults(kills={}, losses={})


def told(first: Run, second: Run, faults: Faults) -> Repeats:
    return explain({"a": [first, second]}, faults)


def test_one_run_needs_no_reason() -> None:
    assert explain({"a": [Run(pid=1, start=1)]}, NO_FAULTS) == Repeats(killed=0, lost=0, unexplained=Counter())


def test_a_second_run_without_a_fault_is_unexplained() -> None:
    assert told(Run(pid=1, start=1, end=2), Run(pid=2, start=3, end=4), NO_FAULTS).unexplained == {"a": 1}


def test_a_kill_in_the_middle_explains_the_next_run() -> None:
    faults = Faults(kills={1: 1.5}, losses={})
    assert told(Run(pid=1, start=1), Run(pid=2, start=3), faults).killed == 1
    assert told(Run(pid=2, start=1), Run(pid=1, start=3), faults).unexplained == {"a": 1}, "another process was killed"


def test_a_loss_explains_what_was_not_acked_for_certain() -> None:
    faults = Faults(kills={}, losses={1: [20.0]})
    assert told(Run(pid=1, start=1, end=19), Run(pid=2, start=21), faults).lost == 1
    assert told(Run(pid=1, start=1, end=2), Run(pid=2, start=21), faults).unexplained == {"a": 1}, "acked long before"
    assert told(Run(pid=1, start=1, end=19), Run(pid=2, start=15), faults).unexplained == {"a": 1}, "lost only later"
    assert told(Run(pid=1, start=20.5), Run(pid=2, start=21), faults).unexplained == {"a": 1}, "begun after it was lost"
