"""Arguments that do not fit are refused at the sender, and told at the worker."""

import contextlib
import math
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from goatherd.errors import InvalidArguments
from goatherd.model.signature import Misfit
from tests.unit.model.test_signature import Player, signature


class Positive(BaseModel):
    number: int


def send_mail(to: str, subject: str, copies: int = 1) -> None: ...


def refused(function: Callable[..., Any], *args: Any, **kwargs: Any) -> dict[str, str]:
    checked = signature(function)
    with pytest.raises(InvalidArguments) as caught:
        checked.encode(checked.bind(args, kwargs))
    assert caught.value.task == function.__name__
    assert "Nothing was sent" in str(caught.value)
    return caught.value.problems


def misfit(function: Callable[..., Any], payload: bytes) -> Misfit:
    with pytest.raises(Misfit) as caught:
        signature(function).decode(payload)
    return caught.value


def test_missing_unknown_and_doubled_arguments_are_all_told() -> None:
    problems = refused(send_mail, "a@b.c", to="d@e.f", cc="x")
    assert problems == {
        "to": "given twice",
        "cc": "not an argument of this task (it takes to, subject, copies)",
        "subject": "missing",
    }


def test_too_many_arguments_by_position_are_counted() -> None:
    assert refused(send_mail, "a", "b", 1, 2) == {"arguments": "4 given by position, at most 3 taken"}


def test_a_positional_only_parameter_has_no_name() -> None:
    def task(body: int, /) -> None: ...

    assert refused(task, body=1) == {"body": "only taken by position"}


def test_every_argument_of_a_wrong_type_is_told() -> None:
    problems = refused(send_mail, to=1, subject=None, copies="two")
    assert problems == {
        "to": "Expected `str`, got `int`",
        "subject": "Expected `str`, got `null`",
        "copies": "Expected `int`, got `str`",
    }


def test_a_mistake_deep_inside_is_told_with_its_place() -> None:
    def task(players: list[Player]) -> None: ...

    problems = refused(task, [{"id": 1}, {"id": "two"}])
    assert problems == {"players": "Expected `int`, got `str` - at `$[1].id`"}


def test_a_pydantic_model_says_no_in_its_own_words() -> None:
    def task(it: Positive) -> None: ...

    [told] = refused(task, {"number": "many"}).values()
    assert "valid integer" in told


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("kind", [float, float | None, Any, dict[str, Any], list[float | None]])
def test_a_number_that_json_does_not_have_is_never_lost_in_silence(number: float, kind: Any) -> None:
    def task(it: kind, other: int | None = None) -> None: ...

    value = {"a": [number]} if kind == dict[str, Any] else [1.0, number] if kind == list[float | None] else number
    assert refused(task, value, other=None) == {"it": "NaN and infinite numbers cannot be written as JSON"}


def test_an_odd_number_inside_of_a_dataclass_is_found() -> None:
    @dataclass
    class Point:
        x: float | None

    def task(point: Point) -> None: ...

    assert "NaN" in refused(task, Point(math.nan))["point"]


def test_nothing_at_all_may_still_be_sent_where_it_is_allowed() -> None:
    def task(it: float | None) -> None: ...

    assert signature(task).encode({"it": None}) == b'{"it":null}'


@pytest.mark.parametrize("value", [object(), 1j, lambda: None, "a\udc80", b"x".__class__])
def test_what_cannot_be_written_is_told(value: object) -> None:
    def task(it: Any) -> None: ...

    assert list(refused(task, value)) == ["it"]


def test_an_integer_beyond_all_bounds_is_told() -> None:
    def task(it: int) -> None: ...

    assert list(refused(task, 10**5000)) == ["it"]


def test_a_wrong_whole_body_is_told_under_its_name() -> None:
    def task(body: Player, /) -> None: ...

    whole = signature(task).taking_whole_body()
    with pytest.raises(InvalidArguments) as caught:
        whole.encode(whole.bind(("x",), {}))
    assert list(caught.value.problems) == ["body"]
    with pytest.raises(Misfit) as misfitting:
        whole.decode(b"[]")
    assert list(misfitting.value.problems) == ["body"]
    assert not misfitting.value.unknown


def test_the_worker_tells_everything_that_is_wrong_with_a_payload() -> None:
    found = misfit(send_mail, b'{"to": 1, "copies": "two"}')
    assert found.problems == {
        "subject": "missing",
        "to": "Expected `str`, got `int`",
        "copies": "Expected `int`, got `str`",
    }
    assert not found.unknown


def test_an_argument_that_this_version_does_not_have_is_set_apart() -> None:
    found = misfit(send_mail, b'{"to": "a", "subject": "b", "cc": "c", "bcc": "d"}')
    assert found.unknown == {"cc", "bcc"}
    assert "not an argument of this task" in str(found)


@pytest.mark.parametrize("payload", [b"[]", b"7", b'"x"', b"null"])
def test_a_payload_that_is_no_object_is_told(payload: bytes) -> None:
    assert list(misfit(send_mail, payload).problems) == ["arguments"]


@given(st.binary())
def test_no_payload_raises_anything_else(payload: bytes) -> None:
    with contextlib.suppress(Misfit):
        signature(send_mail).decode(payload)


def test_an_argument_by_position_and_by_name_is_not_taken_silently() -> None:
    with pytest.raises(Misfit, match="to: given twice"):
        signature(send_mail).by_name([msgspec.Raw(b'"a"')], msgspec.Raw(b'{"to":"b","subject":"c"}'))


def test_too_many_arguments_by_position_do_not_fit() -> None:
    with pytest.raises(Misfit, match="4 given by position, at most 3 taken"):
        signature(send_mail).by_name([msgspec.Raw(b"1")] * 4, msgspec.Raw(b"{}"))


@pytest.mark.parametrize("named", [b"[]", b"\xff", b"[" * 100_000])
def test_named_arguments_that_are_no_object_do_not_fit(named: bytes) -> None:
    with pytest.raises(Misfit):
        signature(send_mail).by_name([msgspec.Raw(b'"a"')], msgspec.Raw(named))


def test_a_type_that_raises_while_it_is_read_is_a_misfit_and_nothing_worse() -> None:
    class Moody(msgspec.Struct):
        number: int

        def __post_init__(self) -> None:
            raise LookupError("not today")

    def task(it: Moody) -> None: ...

    assert "not today" in str(misfit(task, b'{"it": {"number": 1}}'))


class Login(BaseModel):
    user: str
    password: str = Field(min_length=20)


def test_a_pydantic_model_does_not_repeat_what_it_was_given() -> None:
    """What is wrong goes to the log, into dead letters and into the history."""

    def login(who: Login) -> None: ...

    payload = msgspec.json.encode({"who": {"user": "ada", "password": "hush"}})
    with pytest.raises(Misfit) as caught:
        signature(login).decode(payload)
    assert "password: String should have at least 20 characters" in str(caught.value)
    assert "hush" not in "".join(traceback.format_exception(caught.value))
