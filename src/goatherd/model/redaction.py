"""Keep secrets out of what is shown: values under the names of the setting `redact`, however deep they stand.

Names are compared without regard to case: `Password` is as secret as `password`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

HIDDEN = "***"
#: Levels that are looked through, and what is shown for those below: somebody's message may have any number of them.
LEVELS, TOO_DEEP = 100, "… (nested too deeply to be shown)"


def is_hidden(name: object, names: Collection[str]) -> bool:
    """Whether what stands under a name is not shown."""
    return isinstance(name, str) and name.casefold() in _folded(tuple(names))


def redacted(value: Any, names: Collection[str], levels: int = LEVELS) -> Any:
    """The same value with every secret replaced, and what is nested deeper than so many levels."""
    if isinstance(value, Mapping):
        if not levels:
            return TOO_DEEP
        return {
            name: HIDDEN if is_hidden(name, names) else redacted(inner, names, levels - 1)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [redacted(inner, names, levels - 1) for inner in value] if levels else TOO_DEEP
    return value


def restored(edited: Any, original: Any, names: Collection[str]) -> Any:
    """What was edited, with what was left hidden put back; where that cannot be, secrets stay hidden."""
    if edited == TOO_DEEP:
        return original
    if isinstance(edited, Mapping) and isinstance(original, Mapping):
        return {
            name: original[name]
            if inner == HIDDEN and name in original and is_hidden(name, names)
            else restored(inner, original.get(name), names)
            for name, inner in edited.items()
        }
    if isinstance(edited, list) and isinstance(original, list):
        befores = original if len(edited) == len(original) else _counterparts(edited, original, names)
        return [restored(inner, before, names) for inner, before in zip(edited, befores, strict=True)]
    return edited


def left_hidden(value: Any, names: Collection[str]) -> Iterator[str]:
    """The names of secrets that are still hidden in a value."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if inner == HIDDEN and is_hidden(name, names):
                yield str(name)
            else:
                yield from left_hidden(inner, names)
    elif isinstance(value, list):
        for inner in value:
            yield from left_hidden(inner, names)


def shown_body(body: bytes, names: Collection[str]) -> str:
    """A message as it is on the wire, as far as it is text; secrets can be found only where it is JSON."""
    try:
        read = msgspec.json.decode(body)
    except RecursionError:
        return TOO_DEEP
    except (msgspec.DecodeError, UnicodeDecodeError):
        return body.decode("utf-8", "backslashreplace")
    return msgspec.json.encode(redacted(read, names)).decode()


@lru_cache(maxsize=64)
def _folded(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names)


def _counterparts(edited: Sequence[Any], original: Sequence[Any], names: Collection[str]) -> list[Any]:
    """For each of a list of another length, what it was: nobody must get the secret of somebody else."""
    left = [(redacted(each, names), each) for each in original]
    found: list[Any] = []
    for inner in edited:
        place = next((place for place, (shown, _) in enumerate(left) if shown == inner), None)
        found.append(None if place is None else left.pop(place)[1])
    return found
