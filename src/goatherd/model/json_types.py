"""Which types JSON can carry, and how those that msgspec leaves to others are written and read."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from goatherd.errors import DefinitionError


def check_readable(task: str, types: Mapping[str, Any]) -> None:
    """Raise DefinitionError for a type that cannot be read from JSON."""
    for name, annotation in types.items():
        try:
            info = msgspec.inspect.type_info(annotation)
        except (TypeError, NameError, AttributeError) as error:
            raise DefinitionError(f"{name!r} of task {task!r} cannot be read from JSON: {error}.") from error
        for foreign in _custom_types(info):
            if foreign is not object and not _is_pydantic(foreign):
                raise DefinitionError(
                    f"{name!r} of task {task!r} is a {foreign.__name__}, which cannot be read from JSON. Use plain "
                    f"types, a dataclass, a TypedDict, a msgspec.Struct or a pydantic model, or pass its id."
                )


def _custom_types(info: msgspec.inspect.Type) -> Iterator[type]:
    """The types in an annotation that msgspec leaves to others, however deep they stand."""
    seen: set[int] = set()
    ahead: list[Any] = [info]
    while ahead:
        node = ahead.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, msgspec.inspect.CustomType):
            yield node.cls
        for part in ("item_type", "key_type", "value_type", "type"):
            if isinstance(inner := getattr(node, part, None), msgspec.inspect.Type):
                ahead.append(inner)
        for parts in ("types", "item_types", "fields"):
            ahead.extend(getattr(node, parts, ()))


def _is_pydantic(candidate: type) -> bool:
    return hasattr(candidate, "model_validate") and hasattr(candidate, "model_dump")


def to_plain(value: Any) -> Any:
    """For msgspec's encoder: what it leaves to others, as plain values."""
    if isinstance(value, msgspec.Raw):
        return msgspec.json.decode(value)
    if _is_pydantic(type(value)):
        return value.model_dump(mode="json", by_alias=True)
    raise NotImplementedError(f"a {type(value).__name__} cannot be written as JSON")


def from_plain(wanted: type[Any], value: Any) -> Any:
    """For msgspec's decoder: plain values as the type that it leaves to others."""
    if wanted is object:
        return value
    if _is_pydantic(wanted):
        # As JSON, because a strict model takes a date or a set from JSON text but not from a str or a list.
        encoded = msgspec.json.encode(value)
        try:
            return wanted.model_validate_json(encoded)
        except ValueError as error:
            # Not as its cause, which would be told with it.
            raise ValueError(_without_values(error)) from None
    raise NotImplementedError(f"a {wanted.__name__} cannot be read from JSON")


def _without_values(error: ValueError) -> str:
    """What is wrong with a pydantic model: its own words repeat what was given, which may be a secret."""
    if not hasattr(error, "errors"):
        return str(error)
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    told = [(".".join(map(str, each["loc"])), each["msg"]) for each in problems]
    return "; ".join(f"{where}: {what}" if where else what for where, what in told)


def has_odd_number(plain: Any) -> bool:
    """Whether a NaN or an infinite number stands somewhere in plain values."""
    if isinstance(plain, float):
        return not math.isfinite(plain)
    if isinstance(plain, dict):
        return any(map(has_odd_number, plain.values()))
    return isinstance(plain, list | tuple | set | frozenset) and any(map(has_odd_number, plain))
