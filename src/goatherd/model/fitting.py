"""Whether a value of one type fits where another is expected, as far as that can be known before there is a value.

As type checkers see it, but for what JSON makes of values on their way. What arrives is a copy that nobody else can
change, so a `list[int]` is a `list[float]`. A text is no list of characters there, and `true` is no number. Where types
say too little, as TypeVars and Protocols do, the answer is yes: what does not fit is found out when it is read.
"""

import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Any, Literal, NamedTuple, NewType, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

_BINARY = (bytes, bytearray, memoryview)
_NEVER = (typing.NoReturn, typing.Never)
_WORDS_BESIDE = (typing.Annotated, typing.Required, typing.NotRequired, typing.Final)
#: Whose parameters are known to be what stands in them; those of a user's own generic class mean what the user wants.
_HOMES_OF_COLLECTIONS = ("builtins", "collections", "collections.abc")


class Items(NamedTuple):
    """What stands in a sequence."""

    of: Any


def fits(given: Any, wanted: Any) -> bool:
    """Whether a value of the type `given` may stand where `wanted` is expected; also when that cannot be known."""
    return _Comparison().holds(given, wanted)


def items_of(sequence: Any) -> Items | None:
    """What stands in a list of that type; None if it is no list, or text, which is none in JSON."""
    sequence = _bare(sequence)
    if _says_nothing(sequence):
        return Items(Any)
    if (choices := _choices(sequence)) is not None:
        found = [items for choice in choices if (items := items_of(choice)) is not None]
        return Items(_either(items.of for items in found)) if len(found) == len(choices) else None
    kind = get_origin(sequence) or sequence
    if not isinstance(kind, type) or not issubclass(kind, Sequence) or issubclass(kind, (str, *_BINARY)):
        return None
    return Items(_either(_elements(sequence)))


def list_of(item: Any) -> Any:
    """The type of a list of such items."""
    return types.GenericAlias(list, (item,))


def or_none(kind: Any) -> Any:
    """The type, or None."""
    return _either([kind, None])


def named(kind: Any) -> str:
    """The type as people write it."""
    if kind is None or kind is type(None):
        return "None"
    if isinstance(kind, type) and get_origin(kind) is None:
        return kind.__name__
    if get_origin(kind) in (Union, types.UnionType):
        return " | ".join(map(named, get_args(kind)))
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(origin, type) and inner:
        return f"{origin.__name__}[{', '.join('...' if part is ... else named(part) for part in inner)}]"
    return str(kind).replace("typing.", "")


@dataclass(frozen=True)
class _Value:
    """One value of a Literal, as a type of its own."""

    kind: type
    value: Any


class _Comparison:
    """One question about two types, and all those that it leads to."""

    def __init__(self) -> None:
        #: Types that name themselves lead to the same question again; then it holds if nothing else is in the way.
        self._asked: set[tuple[int, int]] = set()

    def holds(self, given: Any, wanted: Any) -> bool:
        if (_can_name_itself(given) or _can_name_itself(wanted)) and given is not wanted:
            if (id(given), id(wanted)) in self._asked:
                return True
            self._asked.add((id(given), id(wanted)))
        given, wanted = _bare(given), _bare(wanted)
        if given == wanted or wanted is object or given in _NEVER or _says_nothing(given) or _says_nothing(wanted):
            return True
        if (choices := _choices(given)) is not None:
            return all(self.holds(choice, wanted) for choice in choices)
        if (choices := _choices(wanted)) is not None:
            return any(self.holds(given, choice) for choice in choices) or _is_complete(given, choices)
        return self._one_holds(given, wanted)

    def _one_holds(self, given: Any, wanted: Any) -> bool:
        if isinstance(given, _Value):
            return self.holds(given.kind, wanted)
        if isinstance(given, NewType):
            return self.holds(given.__supertype__, wanted)
        if isinstance(wanted, _Value | NewType) or wanted in _NEVER:
            return False
        if is_typeddict(given):
            return self._members_fit(given, wanted)
        return _is_kind_of(_class_of(given), _class_of(wanted)) and self._parts_fit(given, wanted)

    def _members_fit(self, given: Any, wanted: Any) -> bool:
        """A TypedDict is compared by its members."""
        try:
            has, needs = get_type_hints(given), get_type_hints(wanted) if is_typeddict(wanted) else {}
        except NameError:
            # Written as text that cannot be read from here.
            return True
        if not is_typeddict(wanted):
            anything = types.GenericAlias(dict, (str, _either(has.values())))
            return self.holds(anything if has else dict, wanted)
        has_all = wanted.__required_keys__ <= given.__required_keys__
        return has_all and all(name in has and self.holds(has[name], kind) for name, kind in needs.items())

    def _parts_fit(self, given: Any, wanted: Any) -> bool:
        """Whether what stands in a tuple, a mapping or a list fits, too."""
        kind, parts, inner = _class_of(wanted), get_args(given), get_args(wanted)
        if not inner or kind.__module__ not in _HOMES_OF_COLLECTIONS:
            return True
        if kind is tuple:
            return self._tuple_fits(parts, inner)
        if issubclass(kind, Mapping):
            known = _is_collection(given) and len(parts) == len(inner)
            return not known or all(map(self.holds, parts, inner))
        return not issubclass(kind, Iterable) or all(self.holds(part, inner[0]) for part in _elements(given))

    def _tuple_fits(self, parts: tuple[Any, ...], inner: tuple[Any, ...]) -> bool:
        if not parts or not all(map(_is_plain_part, (*parts, *inner))):
            return True
        if inner[-1] is ...:
            return all(self.holds(part, inner[0]) for part in parts if part is not ...)
        return parts[-1] is not ... and len(parts) == len(inner) and all(map(self.holds, parts, inner))


def _bare(kind: Any) -> Any:
    """The type without what is only said beside it."""
    if kind is None:
        return type(None)
    if get_origin(kind) in _WORDS_BESIDE:
        return _bare(get_args(kind)[0])
    return _bare(kind.__value__) if _is_alias(kind) else kind


def _is_alias(kind: Any) -> bool:
    """Whether it is one of `type Name = ...`."""
    return type(kind).__name__ == "TypeAliasType"


def _can_name_itself(kind: Any) -> bool:
    return is_typeddict(kind) or _is_alias(kind)


def _class_of(kind: Any) -> type:
    found: type = get_origin(kind) or kind
    return found


def _says_nothing(kind: Any) -> bool:
    """Whether anything may be of that type, for all that is known."""
    if kind in (Any, msgspec.Raw):
        return True
    if isinstance(kind, _Value | NewType) or kind in _NEVER or _choices(kind) is not None:
        return False
    known: Any = get_origin(kind) or kind
    return not isinstance(known, type) or known is type or getattr(known, "_is_protocol", False)


def _choices(kind: Any) -> list[Any] | None:
    """What a union or a Literal is one of; None for other types."""
    if get_origin(kind) in (Union, types.UnionType):
        return list(get_args(kind))
    if get_origin(kind) is Literal:
        return [_Value(type(value), value) for value in get_args(kind)]
    return None


def _is_complete(given: Any, choices: Sequence[Any]) -> bool:
    """Whether all values of a type that has few are among them."""
    if given is bool:
        return all(_Value(bool, value) in choices for value in (True, False))
    is_enum = isinstance(given, type) and issubclass(given, Enum)
    return is_enum and all(_Value(given, member) in choices for member in given)


def _is_kind_of(given: type, wanted: type) -> bool:
    if is_typeddict(wanted) or _is_written_otherwise(given, wanted):
        return False
    if (issubclass(given, int) and wanted is float) or (given in _BINARY and wanted is bytes):
        return True
    try:
        return issubclass(given, wanted)
    except TypeError:
        # A class that does not want to be asked.
        return True


def _is_written_otherwise(given: type, wanted: type) -> bool:
    """Whether the one is a kind of the other in Python, but not in JSON."""
    if given is bool:
        return wanted in (int, float)
    if issubclass(given, datetime):
        return wanted is date
    is_any_collection = wanted.__module__ == "collections.abc"
    if issubclass(given, Mapping):
        return is_any_collection and not issubclass(wanted, Mapping)
    return is_any_collection and issubclass(given, (str, *_BINARY))


def _is_collection(kind: Any) -> bool:
    return _class_of(kind).__module__ in _HOMES_OF_COLLECTIONS


def _is_plain_part(part: Any) -> bool:
    """Whether it stands for one element of a tuple, or is the `...` after it."""
    return get_origin(part) is not typing.Unpack and not getattr(part, "__unpacked__", False)


def _elements(collection: Any) -> list[Any]:
    """The types of what stands in it."""
    parts = get_args(collection)
    if get_origin(collection) is tuple and all(map(_is_plain_part, parts)):
        return [part for part in parts if part is not ...]
    return [parts[0]] if parts and _is_collection(collection) else [Any]


def _either(kinds: Iterable[Any]) -> Any:
    """One type for all of them."""
    different = list(dict.fromkeys(kinds))
    return Union[tuple(different)] if different else typing.Never  # noqa: UP007 - made of a list
