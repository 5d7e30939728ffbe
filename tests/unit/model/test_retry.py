import logging
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.errors import GiveUp
from goatherd.model.retry import Retry

shares = st.floats(0, 1)
spans = st.floats(0, 1e6)


def test_three_retries_are_four_attempts() -> None:
    rule = Retry(3, jitter=0)
    assert [rule.delay(failures) for failures in (1, 2, 3, 4)] == [1, 2, 4, None]


def test_no_retries_are_one_attempt() -> None:
    assert Retry(0).delay(1) is None


@given(
    failures=st.integers(1, 100_000),
    base=spans,
    factor=st.floats(1, 1e300),
    longest=spans,
    jitter=shares,
    chance=shares,
)
def test_a_wait_is_never_further_from_the_rule_than_the_jitter_allows(
    failures: int, base: float, factor: float, longest: float, jitter: float, chance: float
) -> None:
    rule = Retry(failures, base=base, factor=factor, max=longest, jitter=jitter)
    wait = rule.delay(failures, lambda: chance)
    assert wait is not None
    assert math.isfinite(wait)
    least = min(longest, base) * (1 - jitter)
    assert least * 0.999999 <= wait <= longest * (1 + jitter) * 1.000001


@given(base=st.floats(0.001, 100), factor=st.floats(1, 10))
def test_waits_never_shrink_from_one_retry_to_the_next(base: float, factor: float) -> None:
    rule = Retry(50, base=base, factor=factor, max=1000, jitter=0)
    waits = [rule.delay(failures) or 0.0 for failures in range(1, 51)]
    assert waits == sorted(waits)


def test_a_slow_growth_goes_on_after_many_retries() -> None:
    rule = Retry(1000, base=1, factor=1.01, max=1e9, jitter=0)
    assert rule.delay(501) == pytest.approx(1.01**500)


def test_every_error_passes_by_default_except_to_give_up() -> None:
    rule = Retry()
    assert rule.passes(KeyError("x"))
    assert not rule.passes(GiveUp("no sound"))


@pytest.mark.parametrize("on", [ConnectionError, (ConnectionError, TimeoutError)])
def test_only_the_named_errors_pass(on: type[Exception] | tuple[type[Exception], ...]) -> None:
    rule = Retry(on=on)
    assert rule.passes(ConnectionResetError())
    assert not rule.passes(ValueError())


def test_a_test_of_the_error_decides() -> None:
    rule = Retry(on=lambda error: "busy" in str(error))
    assert rule.passes(RuntimeError("the server is busy"))
    assert not rule.passes(RuntimeError("no such user"))


@pytest.mark.parametrize("give_up_on", [FileNotFoundError, (KeyError, FileNotFoundError)])
def test_giving_up_wins_over_passing(give_up_on: type[Exception] | tuple[type[Exception], ...]) -> None:
    rule = Retry(on=OSError, give_up_on=give_up_on)
    assert rule.passes(ConnectionError())
    assert not rule.passes(FileNotFoundError())


def test_giving_up_wins_over_a_test_that_says_yes() -> None:
    assert not Retry(on=lambda error: True, give_up_on=KeyError).passes(KeyError())
    assert not Retry(on=lambda error: True).passes(GiveUp("enough"))


def test_a_test_that_fails_itself_is_told_and_does_not_end_the_job(caplog: pytest.LogCaptureFixture) -> None:
    rule = Retry(on=lambda error: error.code == 429)  # type: ignore[attr-defined]
    with caplog.at_level(logging.ERROR, "goatherd"):
        assert rule.passes(ValueError("has no code"))
    assert "'ValueError' object has no attribute 'code'" in caplog.text


@pytest.mark.parametrize(
    "wrong",
    [
        {"retries": -1},
        {"base": -0.1},
        {"factor": 0.5},
        {"max": -1},
        {"jitter": -0.1},
        {"jitter": 1.1},
        {"base": math.nan},
        {"factor": math.inf},
        {"max": math.nan},
        {"jitter": math.nan},
    ],
)
def test_numbers_that_make_no_rule_are_refused(wrong: dict[str, float]) -> None:
    [name] = wrong
    with pytest.raises(ValueError, match=name):
        Retry(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"on": 5}, {"on": [ValueError]}, {"on": (ValueError, "x")}, {"give_up_on": ValueError()}]
)
def test_what_is_no_error_type_is_refused(wrong: dict[str, object]) -> None:
    [name] = wrong
    with pytest.raises(TypeError, match=name):
        Retry(**wrong)  # type: ignore[arg-type]
