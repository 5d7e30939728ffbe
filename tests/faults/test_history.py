"""The checker itself must catch what it is for."""

from collections import Counter

from tests.faults.history import History, judge


def test_a_clean_history_has_no_findings() -> None:
    verdict = judge(["a", "b"], History(Counter(["a", "b"]), Counter(["a", "b"])), dead=[])
    assert (verdict.lost, verdict.dead, verdict.unasked, verdict.repeats) == (frozenset(), frozenset(), frozenset(), 0)


def test_a_job_that_never_ended_is_lost() -> None:
    assert judge(["a", "b"], History(Counter(["a", "b"]), Counter(["a"])), dead=[]).lost == {"b"}


def test_a_dead_letter_is_not_lost_but_is_told() -> None:
    verdict = judge(["a", "b"], History(Counter(["a", "b"]), Counter(["a"])), dead=["b"])
    assert not verdict.lost
    assert verdict.dead == {"b"}


def test_a_second_run_is_a_repeat() -> None:
    assert judge(["a"], History(Counter({"a": 3}), Counter({"a": 2})), dead=[]).repeats == 2


def test_a_job_of_unknown_outcome_may_appear_or_not() -> None:
    history = History(Counter(["x"]), Counter(["x"]))
    assert not judge([], history, dead=[], doubtful=["x", "y"]).unasked
    assert not judge([], history, dead=[], doubtful=["x", "y"]).lost


def test_a_job_that_nobody_sent_is_told() -> None:
    assert judge([], History(Counter(["x"]), Counter(["x"])), dead=[]).unasked == {"x"}
