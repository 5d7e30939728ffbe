"""Types are known when the program starts, however they were written; what cannot be is a DefinitionError."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec
import pytest
from pydantic import BaseModel

from goatherd.errors import DefinitionError
from goatherd.model.annotations import caller_scope, resolve, resolve_now
from goatherd.model.signature import Signature

if TYPE_CHECKING:
    from decimal import Decimal as OnlyForTypeCheckers


class Connection:
    """Something that cannot travel."""


class Model(BaseModel):
    number: int


class Holder(msgspec.Struct):
    inner: list[Connection]


class Forward(msgspec.Struct):
    price: OnlyForTypeCheckers


class Row(TypedDict):
    connection: Connection


def signature(function: Callable[..., Any]) -> Signature:
    return Signature.of(function, function.__name__, 0, resolve_now(function, function.__name__))


def test_annotations_that_are_text_become_types() -> None:
    def task(a: int, b: list[str] | None = None) -> None: ...

    assert signature(task).types == {"a": int, "b": list[str] | None}


def test_a_parameter_without_a_type_takes_anything() -> None:
    def task(a, b=1): ...  # type: ignore[no-untyped-def]

    assert signature(task).types == {"a": Any, "b": Any}


def test_types_made_inside_of_a_function_are_found() -> None:
    class Local(msgspec.Struct):
        number: int

    def decorator(function: Callable[..., Any]) -> dict[str, Any] | None:
        return resolve(function, caller_scope())

    @decorator
    def hints(it: Local) -> None: ...

    assert hints == {"it": Local, "return": type(None)}


def test_a_name_that_follows_later_is_waited_for() -> None:
    def task(it: Later) -> None: ...  # noqa: F821 - it may come later in the module

    assert resolve(task, {}) is None


def test_a_name_only_for_type_checkers_is_named() -> None:
    def task(price: OnlyForTypeCheckers) -> None: ...

    with pytest.raises(DefinitionError, match=r"'task' names 'OnlyForTypeCheckers'.*outside of `if TYPE_CHECKING:`"):
        signature(task)


def test_a_name_only_for_type_checkers_inside_of_a_struct_is_named() -> None:
    def task(it: Forward) -> None: ...

    with pytest.raises(DefinitionError, match="OnlyForTypeCheckers"):
        signature(task)


def test_an_annotation_that_cannot_be_read_is_a_definition_error() -> None:
    def task(it: msgspec.NoSuchThing) -> None: ...  # type: ignore[name-defined]

    assert resolve(task, {}) is None
    with pytest.raises(DefinitionError, match="NoSuchThing"):
        signature(task)


def plain(it: Connection) -> None: ...
def listed(it: list[Connection]) -> None: ...
def optional(it: Connection | None) -> None: ...
def mapped(it: dict[str, tuple[int, Connection]]) -> None: ...
def struct(it: Holder) -> None: ...
def row(it: Row) -> None: ...
def result() -> Connection: ...  # type: ignore[empty-body]
def function(it: Callable[[], int]) -> None: ...
def two_lists(it: list[int] | set[int]) -> None: ...
def model_or_text(it: Model | str) -> None: ...


@pytest.mark.parametrize("task", [plain, listed, optional, mapped, struct, row, result, function])
def test_a_type_that_cannot_travel_is_named_however_deep_it_stands(task: Callable[..., Any]) -> None:
    where = "return" if task is result else "it"
    with pytest.raises(DefinitionError, match=rf"'{where}' of task .*(Connection|Callable), which cannot be read"):
        signature(task)


@pytest.mark.parametrize("task", [two_lists, model_or_text])
def test_a_union_that_json_cannot_tell_apart_is_a_definition_error(task: Callable[..., Any]) -> None:
    with pytest.raises(DefinitionError, match=r"'it' of task .*Type unions"):
        signature(task)


def test_parameters_without_a_fixed_number_are_refused() -> None:
    def positions(*numbers: int) -> None: ...
    def names(**numbers: int) -> None: ...

    for function in (positions, names):
        with pytest.raises(DefinitionError, match=r"takes \*numbers.*use a list or dict"):
            signature(function)
