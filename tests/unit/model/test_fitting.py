"""What fits where: as type checkers see it, and as JSON can carry it."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Never

import msgspec
import pytest

from goatherd.model.fitting import fits, items_of, list_of, named, or_none
from tests.unit.model.fitting_samples import (
    Animal,
    BigModel,
    Colour,
    FullPoint,
    Goat,
    Goats,
    Key,
    Level,
    Model,
    Named,
    Nested,
    Numbers,
    OtherTree,
    Page,
    Pair,
    Point,
    SmallKey,
    T,
    Tree,
    WidePoint,
)

FITS: list[tuple[Any, Any]] = [
    (int, int),
    (int, float),
    (Level, int),
    (Level, float),
    (int, Any),
    (Any, int),
    (int, object),
    (None, None),
    (type(None), None),
    (None, int | None),
    (int, int | None),
    (int | None, int | None),
    (int | str, str | int | None),
    (bool, Literal[True, False]),
    (Colour, Literal[Colour.RED, Colour.BLUE]),
    (Literal[1], int),
    (Literal["a"], Literal["a", "b"]),
    (Literal["a", "b"], str),
    (Goat, Animal),
    (BigModel, Model),
    (Goat, Named),
    (list[int], list[int]),
    (list[int], list[float]),
    (list[int], Sequence[int]),
    (list[Goat], Collection[Animal]),
    (list[int], list),
    (list, list[int]),
    (list[int], Sequence[Any]),
    (list[int], list[T]),  # type: ignore[valid-type]
    (tuple[int, str], Sequence[int | str]),
    (tuple[int, str], tuple[int, str]),
    (tuple[int, int], tuple[int, ...]),
    (tuple[int, ...], tuple[float, ...]),
    (tuple[int, ...], Sequence[int]),
    (Pair, tuple[int, str]),
    (set[int], AbstractSet[int]),
    (dict[str, int], Mapping[str, float]),
    (dict[str, int], dict),
    (Point, Point),
    (FullPoint, Point),
    (WidePoint, FullPoint),
    (WidePoint, Mapping[str, object]),
    (WidePoint, dict[str, Any]),
    (Tree, OtherTree),
    (Nested, Nested),
    (Numbers, Sequence[int]),
    (list[int], Numbers),
    (Annotated[int, "small"], int),
    (int, Annotated[int, msgspec.Meta(ge=0)]),
    (Key, str),
    (SmallKey, Key),
    (Never, int),
    (Page[int], Page[str]),
    (Goats, Sequence[Goat]),
    (bytearray, bytes),
    (msgspec.Raw, int),
    (datetime, datetime),
]

DOES_NOT_FIT: list[tuple[Any, Any]] = [
    (str, int),
    (float, int),
    (int, bool),
    (bool, int),
    (bool, float),
    (datetime, date),
    (int, None),
    (int, Never),
    (int | None, int),
    (int | str, int),
    (list[int] | None, list[int]),
    (str, Literal["a"]),
    (Literal["a", "c"], Literal["a", "b"]),
    (Literal[1], Literal[True]),
    (bool, Literal[True]),
    (Literal["a"], int),
    (Colour, str),
    (Colour, Literal[Colour.RED]),
    (Animal, Goat),
    (Model, BigModel),
    (Animal, dict[str, str]),
    (dict[str, str], Animal),
    (list[int], list[str]),
    (list[int], int),
    (int, list[int]),
    (list[int | None], list[int]),
    (list[list[int]], list[list[str]]),
    (Sequence[int], list[int]),
    (list[int], tuple[int, ...]),
    (str, Sequence[str]),
    (bytes, Sequence[int]),
    (dict[str, int], Collection[str]),
    (tuple[int, str], tuple[int, int]),
    (tuple[int, str], tuple[int]),
    (tuple[int, ...], tuple[int, int]),
    (tuple[int, str], Sequence[int]),
    (set[int], list[int]),
    (dict[str, int], Mapping[str, str]),
    (dict[int, int], Mapping[str, int]),
    (Point, WidePoint),
    (Point, FullPoint),
    (WidePoint, Goat),
    (dict[str, int], Point),
    (Point, list[int]),
    (WidePoint, Mapping[str, int]),
    (Numbers, list[str]),
    (str, Key),
    (Key, SmallKey),
    (Key, int),
    (int, Decimal),
]


@pytest.mark.parametrize(("kind", "wanted"), FITS, ids=str)
def test_what_fits(kind: Any, wanted: Any) -> None:
    assert fits(kind, wanted)


@pytest.mark.parametrize(("kind", "wanted"), DOES_NOT_FIT, ids=str)
def test_what_does_not_fit(kind: Any, wanted: Any) -> None:
    assert not fits(kind, wanted)


# --- items ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "item"),
    [
        (list[int], int),
        (Sequence[Goat], Goat),
        (tuple[int, ...], int),
        (tuple[int, str], int | str),
        (tuple[()], Never),
        (list[int] | tuple[str, ...], int | str),
        (Annotated[list[int], "few"], int),
        (Numbers, int),
        (list, Any),
        (Goats, Any),
        (Any, Any),
    ],
    ids=str,
)
def test_items(kind: Any, item: Any) -> None:
    found = items_of(kind)
    assert found is not None
    assert found.of == item


@pytest.mark.parametrize(
    "kind", [int, None, str, bytes, dict[str, int], set[int], list[int] | None, Animal, Literal["a"], Key], ids=str
)
def test_what_has_no_items(kind: Any) -> None:
    assert items_of(kind) is None


def test_types_made_of_others() -> None:
    assert list_of(int) == list[int]
    assert or_none(int) == int | None
    assert or_none(int | None) == int | None


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (int, "int"),
        (None, "None"),
        (Goat, "Goat"),
        (list[Goat], "list[Goat]"),
        (str | None, "str | None"),
        (Sequence[int], "Sequence[int]"),
        (dict[str, list[Goat | None]], "dict[str, list[Goat | None]]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (Literal["a"], "Literal['a']"),
        (Any, "Any"),
    ],
    ids=str,
)
def test_names(kind: Any, name: str) -> None:
    assert named(kind) == name
