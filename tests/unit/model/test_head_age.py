"""The age of a queue's head, worked out from counts."""

from collections import deque
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.head_age import MOST_COUNTS, HeadAge, HeadAges, Inflow
from goatherd.model.topology import QueueState


def test_a_queue_that_is_empty_has_no_age() -> None:
    age = HeadAge()
    assert age.note(Inflow(came=5, ready=0), 10.0) == 0
    assert age.note(Inflow(came=9, ready=0), 20.0) == 0


def test_a_head_that_nobody_takes_grows_old() -> None:
    age = HeadAge()
    age.note(Inflow(came=5, ready=0), 0.0)
    assert age.note(Inflow(came=6, ready=1), 10.0) == 0.0
    assert age.note(Inflow(came=9, ready=4), 20.0) == 10.0
    assert age.note(Inflow(came=9, ready=4), 30.0) == 20.0


def test_a_queue_that_always_has_jobs_but_moves_on_is_not_old() -> None:
    age = HeadAge()
    ages = [age.note(Inflow(came=100 * look, ready=10), 10.0 * look) for look in range(1, 100)]
    assert max(ages) <= 10.0


def test_what_was_there_before_anybody_counted_is_at_least_so_old() -> None:
    age = HeadAge()
    assert age.note(Inflow(came=500, ready=100), 1000.0) == 0.0
    assert age.note(Inflow(came=500, ready=50), 1060.0) == 60.0
    assert not age.certain
    assert age.note(Inflow(came=510, ready=10), 1070.0) <= 10.0
    assert age.certain, "those that were there before have left"


def test_ages_are_told_with_the_queues_that_have_them() -> None:
    ages = HeadAges()
    ages.note({"mail": Inflow(came=500, ready=100)}, 0.0)
    ages.note({"mail": Inflow(came=500, ready=100)}, 60.0)
    mail = QueueState(
        name="mail", ready=100, delayed=None, running=None, consumers=0, oldest_age=None, dead=None, paused=False
    )
    assert ages.of(mail).oldest_age == 60.0
    assert ages.of(mail, certain=True).oldest_age is None, "who has just begun to look does not know"
    assert ages.of(replace(mail, ready=0)).oldest_age is None
    assert ages.of(replace(mail, oldest_age=7.0)).oldest_age == 7.0
    assert ages.of(replace(mail, name="other")).oldest_age is None


def test_a_broker_that_counts_anew_is_believed() -> None:
    age = HeadAge()
    age.note(Inflow(came=500, ready=0), 0.0)
    age.note(Inflow(came=510, ready=10), 10.0)
    assert age.note(Inflow(came=3, ready=3), 20.0) == 0.0
    assert age.note(Inflow(came=3, ready=3), 30.0) == 10.0


def test_not_more_than_a_few_counts_are_remembered() -> None:
    age = HeadAge()
    age.note(Inflow(came=0, ready=0), 0.0)
    for look in range(1, 5 * MOST_COUNTS):
        # One more in every second, and none ever leaves.
        assert abs(age.note(Inflow(came=look, ready=look), float(look)) - (look - 1)) <= 1.0
        assert len(age._came) <= MOST_COUNTS + 1  # what is remembered cannot be seen from outside


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=60))
def test_it_is_right_as_far_as_somebody_counted(rounds: list[tuple[int, int]]) -> None:
    """In every second some come and some leave, in order, and then somebody counts."""
    age, waiting, came = HeadAge(), deque[float](), 0
    age.note(Inflow(came=0, ready=0), 0.0)
    for second, (coming, leaving) in enumerate(rounds, start=1):
        came += coming
        waiting.extend(second - 1 + (number + 1) / (coming + 1) for number in range(coming))
        for _ in range(min(leaving, len(waiting))):
            waiting.popleft()
        found = age.note(Inflow(came=came, ready=len(waiting)), float(second))
        expected = second - waiting[0] if waiting else 0.0
        assert abs(found - expected) <= 1.0
