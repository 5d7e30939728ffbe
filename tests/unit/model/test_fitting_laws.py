"""What holds for all types, however they are made."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal, NamedTuple, Union

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.fitting import fits, items_of, or_none
from tests.unit.model.fitting_samples import Animal, Colour, Goat, Key, Level, Pair, Point, WidePoint

#: So that types can be made of those that are drawn.
LIST: Any = list
TUPLE: Any = tuple
DICT: Any = dict
SEQUENCE: Any = Sequence
COLLECTION: Any = Collection
MAPPING: Any = Mapping
UNION: Any = Union
ANNOTATED: Any = Annotated


@dataclasses.dataclass(frozen=True)
class Kind:
    """A type and how to make values of it."""

    type: Any
    values: st.SearchStrategy[Any] = dataclasses.field(compare=False)


class Both(NamedTuple):
    """A type, and one where it fits."""

    given: Kind
    wanted: Any


SHORT = st.text(max_size=3)
FEW = st.integers(0, 4)
PLAIN = [
    Kind(int, st.integers(-(2**60), 2**60)),
    Kind(bool, st.booleans()),
    Kind(float, st.floats(allow_nan=False, allow_infinity=False)),
    Kind(str, SHORT),
    Kind(bytes, st.binary(max_size=3)),
    Kind(type(None), st.none()),
    Kind(datetime, st.datetimes()),
    Kind(date, st.dates()),
    Kind(Colour, st.sampled_from(Colour)),
    Kind(Level, st.sampled_from(Level)),
    Kind(Literal["red", "green"], st.sampled_from(["red", "green"])),
    Kind(Literal[1, 2], st.sampled_from([1, 2])),
    Kind(Key, SHORT),
    Kind(Animal, st.builds(Animal, SHORT)),
    Kind(Goat, st.builds(Goat, SHORT, FEW)),
    Kind(Point, st.fixed_dictionaries({"x": FEW}, optional={"y": FEW})),
    Kind(WidePoint, st.fixed_dictionaries({"x": FEW, "y": FEW, "z": SHORT})),
    Kind(Pair, st.builds(Pair, FEW, SHORT)),
]


def either(*kinds: Any) -> Any:
    return UNION[kinds]


def composed(inner: st.SearchStrategy[Both]) -> st.SearchStrategy[Both]:
    def one(make: Any, wants: Any) -> st.SearchStrategy[Both]:
        return inner.map(lambda both: Both(make(both.given), wants(both.wanted)))

    def two(make: Any, wants: Any) -> st.SearchStrategy[Both]:
        pairs = st.tuples(inner, inner)
        return pairs.map(lambda pair: Both(make(*(both.given for both in pair)), wants(*(b.wanted for b in pair))))

    def listed(kind: Kind) -> Kind:
        return Kind(LIST[kind.type], st.lists(kind.values, max_size=3))

    def many(kind: Kind) -> Kind:
        return Kind(TUPLE[kind.type, ...], st.lists(kind.values, max_size=3).map(tuple))

    def mapped(kind: Kind) -> Kind:
        return Kind(DICT[str, kind.type], st.dictionaries(SHORT, kind.values, max_size=2))

    def paired(left: Kind, right: Kind) -> Kind:
        return Kind(TUPLE[left.type, right.type], st.tuples(left.values, right.values))

    def any_of(left: Kind, right: Kind) -> Kind:
        return Kind(either(left.type, right.type), left.values | right.values)

    return st.one_of(
        one(listed, lambda wanted: LIST[wanted]),
        one(listed, lambda wanted: SEQUENCE[wanted]),
        one(listed, lambda wanted: COLLECTION[wanted]),
        one(many, lambda wanted: TUPLE[wanted, ...]),
        one(many, lambda wanted: SEQUENCE[wanted]),
        one(mapped, lambda wanted: MAPPING[str, wanted]),
        two(paired, lambda left, right: TUPLE[left, right]),
        two(paired, lambda left, right: SEQUENCE[either(left, right)]),
        two(any_of, either),
        one(lambda kind: kind, or_none),
        one(lambda kind: Kind(or_none(kind.type), st.none() | kind.values), or_none),
        one(lambda kind: Kind(ANNOTATED[kind.type, "said"], kind.values), lambda wanted: ANNOTATED[wanted, "beside"]),
    )


PAIRS = st.recursive(
    st.sampled_from([Both(one, other.type) for one in PLAIN for other in PLAIN if fits(one.type, other.type)]),
    composed,
    max_leaves=5,
)

#: Few enough to try each with each.
UNIVERSE = [
    made
    for plain in (kind.type for kind in PLAIN)
    for made in (plain, or_none(plain), LIST[plain], SEQUENCE[plain], TUPLE[plain, int], either(plain, str, int))
]


def can_be_asked_for(kind: Any) -> bool:
    """Whether a parameter can be of that type: unions of several objects cannot be told apart."""
    try:
        msgspec.json.Decoder(kind)
    except TypeError:
        return False
    return True


@given(pair=PAIRS, values=st.data())
def test_what_is_made_of_what_fits_fits_and_can_be_read(pair: Both, values: st.DataObject) -> None:
    assert fits(pair.given.type, pair.wanted)
    if can_be_asked_for(pair.wanted):
        value = values.draw(pair.given.values)
        msgspec.json.decode(msgspec.json.encode(value), type=pair.wanted)


@given(pair=PAIRS)
def test_a_type_fits_itself_and_whatever_says_less(pair: Both) -> None:
    for kind in (pair.given.type, pair.wanted):
        for wanted in (kind, Any, object, or_none(kind), either(int, kind, str)):
            assert fits(kind, wanted)


@given(pair=PAIRS)
def test_a_list_is_of_what_it_was_made_of(pair: Both) -> None:
    kind = pair.given.type
    assert [items_of(listed) for listed in (LIST[kind], SEQUENCE[kind], TUPLE[kind, ...])] == [(kind,)] * 3
    assert items_of(or_none(LIST[kind])) is None


def test_what_fits_what_fits_fits() -> None:
    where = {
        number: {n for n, wanted in enumerate(UNIVERSE) if fits(kind, wanted)} for number, kind in enumerate(UNIVERSE)
    }
    missing = [
        (UNIVERSE[first], UNIVERSE[second], UNIVERSE[third])
        for first, found in where.items()
        for second in found
        for third in where[second] - found
    ]
    assert missing == []


def test_a_union_fits_if_each_of_its_types_does() -> None:
    for kind in UNIVERSE:
        for wanted in UNIVERSE:
            assert fits(either(kind, bytes), wanted) is (fits(kind, wanted) and fits(bytes, wanted))
