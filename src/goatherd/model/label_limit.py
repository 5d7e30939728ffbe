"""A limit on the values of a label: whoever can name things must not be able to fill the memory of others."""

from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

#: Different values, or pairs of them, that one process tells apart; all others are counted together.
MOST_LABELS = 500
#: What those are called.
OTHER = "other"

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Limited(dict[_Key, _Value], Generic[_Key, _Value]):
    """A mapping that makes what is missing, up to a limit; what comes after that shares one entry."""

    def __init__(self, make: Callable[[], _Value], other: _Key, most: int = MOST_LABELS) -> None:
        super().__init__()
        self._make = make
        self._other = other
        self._most = most

    def __missing__(self, key: _Key) -> _Value:
        # Called for keys that are not there alone, so that the limit costs those that are nothing.
        if len(self) >= self._most - 1 and key != self._other:
            return self[self._other]
        made = self[key] = self._make()
        return made


def limited(values: Mapping[str, _Value], join: Callable[[_Value, _Value], _Value]) -> Mapping[str, _Value]:
    """The same with at most `MOST_LABELS` names: the first ones by name, and the others joined."""
    if len(values) <= MOST_LABELS:
        return values
    names = sorted(values)
    kept = {name: values[name] for name in names[: MOST_LABELS - 1]}
    for name in names[MOST_LABELS - 1 :]:
        kept[OTHER] = join(kept[OTHER], values[name]) if OTHER in kept else values[name]
    return kept
