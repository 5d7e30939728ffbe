"""Which members a mapping from a file may have, so that a wrong one is named instead of passed over."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from goatherd.errors import DefinitionError


@dataclass(frozen=True, kw_only=True)
class Member:
    """What one member may be."""

    type: type
    required: bool = False
    choices: tuple[str, ...] = ()
    #: The members of the mapping that it is, where they are fixed.
    inner: "Rules | None" = None
    #: Whether it must say something.
    filled: bool = False


Rules: TypeAlias = Mapping[str, Member]

_WORDS = {str: "text", bool: "true or false", int: "a whole number", dict: "a mapping", list: "a list"}


def check_members(values: Any, rules: Rules, where: str, path: str = "") -> None:
    """Raise DefinitionError with the place and the path of the first member that is wrong, unknown or missing."""
    if not isinstance(values, dict):
        raise DefinitionError(f"{where}: {path or 'it'} is {values!r}; it must be a mapping.")
    for name, value in values.items():
        full = f"{path}.{name}" if path else str(name)
        rule = rules.get(name)
        if rule is None:
            raise DefinitionError(f"{where}: there is no member {full}; known are {', '.join(rules)}.")
        _check_member(value, rule, where, full)
    for name, rule in rules.items():
        if rule.required and name not in values:
            raise DefinitionError(f"{where}: {f'{path}.{name}' if path else name} is missing.")


def _check_member(value: Any, rule: Member, where: str, path: str) -> None:
    # For Python true is a whole number, too.
    if not isinstance(value, rule.type) or (rule.type is int and isinstance(value, bool)):
        hint = " Put it in quotes." if rule.type is str and not isinstance(value, dict | list) else ""
        raise DefinitionError(f"{where}: {path} is {value!r}; it must be {_WORDS[rule.type]}.{hint}")
    if rule.choices and value not in rule.choices:
        raise DefinitionError(f"{where}: {path} is {value!r}; use {', '.join(rule.choices)}.")
    if rule.filled and not value:
        raise DefinitionError(f"{where}: {path} is empty.")
    if rule.inner is not None:
        check_members(value, rule.inner, where, path)
