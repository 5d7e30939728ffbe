"""What is sent is what the function is called with."""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from goatherd.model.annotations import resolve_now
from goatherd.model.signature import Arguments, Signature


def signature(function: Callable[..., Any], skip: int = 0) -> Signature:
    return Signature.of(function, function.__name__, skip, resolve_now(function, function.__name__))


def sent(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Arguments:
    """The arguments as they arrive at the worker."""
    checked = signature(function)
    return checked.decode(checked.encode(checked.bind(args, kwargs)))


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Address:
    street: str
    zip: int = 0


class Player(msgspec.Struct):
    id: int
    address: Address | None = None


class Crawl(TypedDict):
    url: str
    depth: int


class Inner(BaseModel):
    tags: set[str]


class Order(BaseModel):
    model_config = ConfigDict(strict=True)

    number: int = Field(alias="orderNumber", gt=0)
    placed: datetime
    inner: Inner


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, "a"),
        (int, 2**64 - 1),
        (int, -(2**63)),
        (float, 1.5),
        (bool, True),
        (bytes, b"\x00\xff"),
        (Colour, Colour.RED),
        (datetime, datetime(2026, 1, 31, 9, tzinfo=UTC)),
        (date, date(2026, 1, 31)),
        (timedelta, timedelta(seconds=90)),
        (UUID, UUID(int=7)),
        (Decimal, Decimal("1.10")),
        (Address, Address("Bridge", 7)),
        (Player, Player(1, Address("Bridge"))),
        (Crawl, {"url": "https://a", "depth": 2}),
        (list[Player], [Player(1), Player(2)]),
        (dict[str, list[int]], {"a": [1]}),
        (dict[int, str], {1: "a"}),
        (set[int], {1, 2}),
        (tuple[int, str], (1, "a")),
        (int | None, None),
        (int | None, 7),
        (Literal["a", "b"], "b"),
        (Annotated[int, msgspec.Meta(ge=1)], 1),
        (Any, {"whatever": [1, None, "x"]}),
        (dict[str, object], {"whatever": [1, None, "x"]}),
        (Order, Order(orderNumber=1, placed=datetime(2026, 1, 31, tzinfo=UTC), inner=Inner(tags={"a"}))),
        (list[Order | None], [None]),
    ],
    ids=str,
)
def test_a_value_arrives_as_the_type_that_was_declared(kind: Any, value: Any) -> None:
    def task(it: kind) -> None: ...

    assert sent(task, value) == ((), {"it": value})


def test_pydantic_models_are_found_however_deep_they_stand() -> None:
    class Page(msgspec.Struct):
        orders: dict[str, list[Order]]

    def task(page: Page) -> None: ...

    order = Order(orderNumber=1, placed=datetime(2026, 1, 31, tzinfo=UTC), inner=Inner(tags={"a", "b"}))
    [arrived] = sent(task, Page({"today": [order]})).named.values()
    assert arrived == Page({"today": [order]})


def test_a_pydantic_model_has_the_names_of_its_contract_on_the_wire() -> None:
    def task(order: Order) -> None: ...

    order = Order(orderNumber=1, placed=datetime(2026, 1, 31, tzinfo=UTC), inner=Inner(tags=set()))
    payload = signature(task).encode({"order": order})
    assert b'"orderNumber":1' in payload


@given(st.text(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
def test_plain_values_always_arrive_as_they_were(text: str, number: int, real: float, flag: bool) -> None:
    def task(text: str, number: int, real: float, flag: bool = False) -> None: ...

    if any(0xD800 <= ord(letter) < 0xE000 for letter in text):
        return
    arrived = sent(task, text, number, real, flag=flag)
    assert arrived.named == {"text": text, "number": number, "real": real, "flag": flag}


def test_arguments_may_be_given_by_position_and_by_name() -> None:
    def task(a: int, b: int, *, c: int) -> None: ...

    assert sent(task, 1, b=2, c=3).named == sent(task, c=3, b=2, a=1).named == {"a": 1, "b": 2, "c": 3}


def test_a_default_is_left_to_the_function_that_runs() -> None:
    def task(image: str, width: int = 800) -> None: ...

    checked = signature(task)
    assert checked.encode(checked.bind(("cat.png",), {})) == b'{"image":"cat.png"}'
    assert sent(task, "cat.png") == ((), {"image": "cat.png"})


def test_parameters_may_have_any_name() -> None:
    def task(self: int, cls: int, __mangled: int, payload: int, _: int = 0) -> None: ...

    assert sent(task, 1, 2, 3, 4).named == {"self": 1, "cls": 2, "__mangled": 3, "payload": 4}


def test_json_that_was_written_before_can_be_an_argument() -> None:
    def task(it: Any) -> None: ...

    assert sent(task, {"a": msgspec.Raw(b"[null]")}).named == {"it": {"a": [None]}}


def test_the_context_is_not_part_of_what_is_sent() -> None:
    def task(ctx: Any, image: str) -> None: ...

    assert signature(task, skip=1).names == ("image",)


def test_positional_only_parameters_are_passed_by_position() -> None:
    def task(a: int, b: int = 2, /, c: int = 3) -> None: ...

    assert sent(task, 1) == ((1, 2), {})
    assert sent(task, 1, 5, c=4) == ((1, 5), {"c": 4})


def test_a_positional_only_parameter_that_a_stranger_left_out_does_not_shift_the_next() -> None:
    def task(a: int, b: int = 2, c: int = 3, /) -> None: ...

    assert signature(task).decode(b'{"a": 1, "c": 9}') == ((1, 2, 9), {})


def test_one_positional_only_parameter_can_be_the_whole_body() -> None:
    def task(body: Player, /) -> None: ...

    whole = signature(task).taking_whole_body()
    assert whole.encode(whole.bind((Player(7),), {})) == b'{"id":7,"address":null}'
    assert whole.decode(b'{"id": 7}') == ((Player(7),), {})


def test_a_whole_body_may_have_a_default() -> None:
    def task(body: dict[str, int] = {"a": 1}, /) -> None: ...  # noqa: B006 - as a user may write it

    whole = signature(task).taking_whole_body()
    assert whole.encode(whole.bind((), {})) == b'{"a":1}'


def test_arguments_by_position_get_their_names() -> None:
    def task(session: str, message: str, model: str = "m") -> None: ...

    raw = [msgspec.Raw(b'"s1"'), msgspec.Raw(b'"hi"')]
    payload = signature(task).by_name(raw, msgspec.Raw(b'{"model":"x"}'))
    assert signature(task).decode(payload).named == {"session": "s1", "message": "hi", "model": "x"}


def test_a_result_is_read_as_the_type_that_was_declared() -> None:
    def task() -> list[Player]: ...

    checked = signature(task)
    assert checked.decode_result(checked.encode_result([Player(1)])) == [Player(1)]
