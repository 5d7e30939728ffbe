"""The arguments of exchanges, queues, bindings and policies, as a value that can be compared."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from goatherd.errors import DefinitionError

#: What the broker can hold: 64 bits with a sign.
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
#: No broker's argument is nested so deep; a YAML file can even have a list that contains itself.
_DEEPEST = 20


class Arguments(Mapping[str, Any]):
    """Names and values that never change; equal only if the types are equal too.

    For Python `True == 1 == 1.0`, but a broker refuses a queue whose argument is `1` where it was `true`.
    """

    __slots__ = ("_text", "_values")

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        values = values or {}
        for name, value in values.items():
            _check(str(name), name, value)
        try:
            self._text = msgspec.json.encode(_plain(values), order="deterministic")
        except (TypeError, ValueError, OverflowError) as error:
            raise DefinitionError(f"The arguments {dict(values)!r} cannot be told to a broker: {error}.") from error
        self._values: dict[str, Any] = msgspec.json.decode(self._text)

    def plain(self) -> dict[str, Any]:
        """A dictionary of one's own, which may be changed; its names are in order."""
        found: dict[str, Any] = msgspec.json.decode(self._text)
        return found

    def differing(self, other: "Arguments") -> list[tuple[str, object, object]]:
        """The names whose values differ, with what either has (None where it has nothing)."""
        names = sorted({*self._values, *other._values})
        return [(name, self.get(name), other.get(name)) for name in names if self._only(name) != other._only(name)]

    def _only(self, name: str) -> "Arguments":
        return Arguments({name: self._values[name]} if name in self._values else {})

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Arguments):
            return self._text == other._text
        if isinstance(other, Mapping):
            return self._text == msgspec.json.encode(_plain(other), order="deterministic")
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __lt__(self, other: "Arguments") -> bool:
        return self._text < other._text

    def __repr__(self) -> str:
        return repr(self._values)


def same_value(one: object, other: object) -> bool:
    """Whether two values of an argument are the same for a broker."""
    return Arguments({"value": one}) == Arguments({"value": other})


def _check(path: str, name: object, value: object, depth: int = 0) -> None:
    """Raise DefinitionError for what has no place in a table of arguments, naming where it stands."""
    if not isinstance(name, str):
        raise DefinitionError(f"The name of an argument is {name!r}; it must be text.")
    if depth > _DEEPEST:
        raise DefinitionError(f"The argument {path!r} is nested more than {_DEEPEST} levels deep.")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _check(f"{path}.{key}", key, inner, depth + 1)
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            _check(f"{path}[{place}]", name, inner, depth + 1)
    else:
        _check_one(path, value)


def _check_one(path: str, value: object) -> None:
    if value is None or isinstance(value, str | bool):
        return
    if not isinstance(value, int | float):
        raise DefinitionError(
            f"The argument {path!r} is {value!r}; use text, numbers, true and false, lists and tables of them."
        )
    if not math.isfinite(value):
        raise DefinitionError(f"The argument {path!r} is {value!r}; only finite numbers can be told to a broker.")
    if isinstance(value, int) and not _SMALLEST <= value <= _LARGEST:
        raise DefinitionError(f"The argument {path!r} is {value!r}; a broker's numbers have at most 64 bits.")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
