import asyncio
import logging
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from goatherd.errors import GiveUp, RetryLater
from goatherd.model.message import DEATHS, FAILURES, REFUSALS, REFUSED_SINCE
from goatherd.model.retry import Retry
from goatherd.model.verdict import (
    Again,
    Dead,
    Fault,
    after_fault,
    after_our_fault,
    as_exception,
    headers_for,
    refused,
)
from tests.unit.model.samples import NOW, work

RULE = Retry(3, jitter=0, on=OSError)


def verdict(error: BaseException, failures: int = 0, rule: Retry = RULE) -> Again | Dead:
    decided = after_fault(Fault.of(error, rule), work(failures), rule, NOW)
    assert isinstance(decided, Again | Dead)
    return decided


# --- after a failure ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("failures", "delay"), [(0, 1), (1, 2), (2, 4)])
def test_an_error_that_passes_is_tried_again_later_and_later(failures: int, delay: float) -> None:
    decided = verdict(ConnectionError("gone"), failures)
    assert isinstance(decided, Again)
    assert (decided.delay, decided.failures, decided.refused) == (delay, failures + 1, False)
    assert decided.why == "ConnectionError: gone"


def test_after_the_last_retry_it_is_a_dead_letter_with_all_that_is_known() -> None:
    decided = verdict(ConnectionError("gone"), failures=3)
    assert isinstance(decided, Dead)
    burial = decided.burial
    assert (burial.reason, burial.error_type, burial.message) == ("failed", "ConnectionError", "gone")
    assert (burial.attempts, burial.failed_at) == (4, NOW)
    assert "ConnectionError: gone" in burial.traceback


def test_an_error_that_lasts_is_a_dead_letter_at_once() -> None:
    decided = verdict(ValueError("bad arguments"))
    assert isinstance(decided, Dead)
    assert (decided.burial.reason, decided.burial.attempts) == ("failed", 1)


def test_to_give_up_is_a_dead_letter_at_once_with_the_reason() -> None:
    decided = verdict(GiveUp("no sound"), rule=Retry(3))
    assert isinstance(decided, Dead)
    assert (decided.burial.reason, decided.burial.message) == ("gave_up", "no sound")


def test_a_task_may_say_when_to_try_again() -> None:
    decided = verdict(RetryLater(30))
    assert isinstance(decided, Again)
    assert (decided.delay, decided.failures) == (30, 1)


def test_to_try_later_counts_as_an_attempt() -> None:
    decided = verdict(RetryLater(30), failures=3)
    assert isinstance(decided, Dead)
    assert (decided.burial.reason, decided.burial.error_type) == ("failed", "RetryLater")


@given(st.integers(0, 1000))
def test_to_try_later_without_counting_never_ends(failures: int) -> None:
    decided = verdict(RetryLater(30, count=False), failures)
    assert isinstance(decided, Again)
    assert (decided.delay, decided.failures) == (30, failures)


@given(failures=st.integers(0, 20), retries=st.integers(0, 10), passes=st.booleans())
def test_a_failure_counts_one_and_ends_after_all_retries(failures: int, retries: int, passes: bool) -> None:
    decided = verdict(OSError() if passes else KeyError(), failures, Retry(retries, on=OSError))
    if passes and failures < retries:
        assert isinstance(decided, Again)
        assert decided.failures == failures + 1
    else:
        assert isinstance(decided, Dead)
        assert decided.burial.attempts == failures + 1


@pytest.mark.parametrize("after", [-1, math.nan, math.inf])
def test_a_time_that_never_comes_is_refused_where_it_is_raised(after: float) -> None:
    with pytest.raises(ValueError, match="not a time to come"):
        RetryLater(after)


# --- what a task may raise ------------------------------------------------------------------------------------------


def test_an_error_that_cannot_be_told_is_still_the_jobs_failure() -> None:
    class Speechless(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    fault = Fault.of(Speechless(), RULE)
    assert fault.error_type == "Speechless"
    assert fault.message == "(its text cannot be told: RuntimeError)"


def test_text_that_is_no_unicode_can_be_stored() -> None:
    fault = Fault.of(FileNotFoundError("no file 'a\udc80'"), RULE)
    assert fault.message.encode() == b"no file 'a\\udc80'"
    assert fault.traceback.encode()


def exits() -> None:
    sys.exit(3)


class Panic(BaseException):
    """As native extensions raise them."""


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (SystemExit(3), "the task called sys.exit(3)"),
        (asyncio.CancelledError(), "the task was cancelled by its own code"),
        (StopIteration(), "the task raised StopIteration"),
        (Panic("unwrap on None"), "the task raised Panic: unwrap on None"),
        (KeyboardInterrupt(), "the task raised KeyboardInterrupt: "),
    ],
)
def test_what_would_end_the_worker_is_an_error_of_the_task(raised: BaseException, told: str) -> None:
    error = as_exception(raised)
    assert isinstance(error, RuntimeError)
    assert str(error) == told
    assert error.__cause__ is raised


def test_the_place_of_a_sudden_exit_is_told() -> None:
    with pytest.raises(SystemExit) as caught:
        exits()
    assert "in exits" in Fault.of(caught.value, RULE).traceback


def test_an_ordinary_error_stays_what_it_is() -> None:
    error = KeyError("x")
    assert as_exception(error) is error


# --- refused -------------------------------------------------------------------------------------------------------


def offers(grace: float, now: float = NOW) -> list[Again | Dead]:
    """Every decision about one job that no worker knows, until it is given up."""
    headers: dict[str, str | int | float] = {}
    seen: list[Again | Dead] = []
    while not seen or isinstance(seen[-1], Again):
        decided = refused("unknown_task", "no task 'x' here", headers, 0, now, grace)
        assert isinstance(decided, Again | Dead)
        seen.append(decided)
        if isinstance(decided, Again):
            headers = dict(headers_for(decided, headers))
            now += decided.delay
    return seen


def test_an_unknown_job_is_offered_less_and_less_often_until_the_grace_ends() -> None:
    *again, last = offers(600)
    waits = [decided.delay for decided in again if isinstance(decided, Again)]
    assert waits[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert sum(waits) == 600
    assert isinstance(last, Dead)
    assert last.burial.reason == "unknown_task"
    assert last.burial.message == f"no task 'x' here (offered for 600 s, {len(waits) + 1} times)"


def test_without_grace_an_unknown_job_is_given_up_at_once() -> None:
    [decided] = offers(0)
    assert isinstance(decided, Dead)


def test_a_grace_of_days_needs_more_offers_than_a_float_can_double() -> None:
    decided = refused("invalid", "x", {REFUSED_SINCE: NOW - 1e5, REFUSALS: 5000}, 0, NOW, 1e6)
    assert isinstance(decided, Again)
    assert decided.delay == 60


def test_no_attempt_was_made_so_none_is_counted() -> None:
    decided = refused("invalid", "x", {}, 2, NOW, 600)
    assert isinstance(decided, Again)
    assert (decided.failures, decided.refused) == (2, True)


@given(since=st.floats() | st.integers() | st.text(), times=st.floats() | st.integers() | st.text())
def test_headers_that_are_nonsense_harm_nothing(since: float | str, times: float | str) -> None:
    decided = refused("invalid", "x", {REFUSED_SINCE: since, REFUSALS: times}, 0, NOW, 600)
    if isinstance(decided, Again):
        assert 0 <= decided.delay <= 60
        assert decided.headers[REFUSED_SINCE] <= NOW  # type: ignore[operator]


def test_a_clock_that_is_ahead_does_not_make_the_grace_longer() -> None:
    decided = refused("invalid", "x", {REFUSED_SINCE: NOW + 1e9, REFUSALS: 3}, 0, NOW, 600)
    assert isinstance(decided, Again)
    assert decided.headers[REFUSED_SINCE] == NOW


# --- our own faults, and headers ------------------------------------------------------------------------------------


def test_a_fault_of_our_own_is_tried_a_few_times_and_never_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    decided = [after_our_fault(KeyError("x"), failures, NOW, unread=False) for failures in range(4)]
    assert [type(each) for each in decided] == [Again, Again, Again, Dead]
    assert isinstance(decided[-1], Dead)
    assert "a fault of Goatherd: KeyError" in decided[-1].burial.message


def test_the_next_delivery_carries_the_count_and_what_others_put_there() -> None:
    again = Again(delay=1, failures=2, why="", headers={DEATHS: 1})
    assert headers_for(again, {"task_name": "t", FAILURES: 1}) == {"task_name": "t", FAILURES: 2, DEATHS: 1}


def test_a_job_that_was_known_at_last_starts_its_refusals_anew() -> None:
    again = Again(delay=1, failures=1, why="")
    assert headers_for(again, {REFUSED_SINCE: NOW, REFUSALS: 4}) == {FAILURES: 1}
    assert headers_for(replace(again, failures=0), {}) == {}
