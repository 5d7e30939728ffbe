"""Settings of a program from its environment: each names its variable, and all mistakes are told at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import msgspec

from goatherd.errors import SettingsError

T = TypeVar("T")


def from_variable(variable: str, default: Any = None, *, secret: bool = False) -> Any:
    """A setting and the variable that it comes from; a secret is never shown."""
    return field(default=default, repr=not secret, metadata={"variable": variable, "secret": secret})


def read(
    kind: type[T],
    environment: Mapping[str, str],
    contradictions: Callable[[Mapping[str, Any]], Sequence[str]] = lambda _given: (),
) -> T:
    """The settings in force; an empty variable counts as absent. Raises SettingsError with every mistake.

    `contradictions` tells what is wrong with all that was given, though each is right by itself.
    """
    problems: list[str] = []
    given: dict[str, Any] = {}
    types = get_type_hints(kind, include_extras=True)
    for setting in fields(kind):  # type: ignore[arg-type]  # it is a dataclass
        variable = setting.metadata["variable"]
        if written := environment.get(variable, "").strip():
            shown = "not usable" if setting.metadata["secret"] else repr(written)
            try:
                given[setting.name] = _converted(written, types[setting.name])
            except msgspec.ValidationError as error:
                problems.append(f"{variable} is {shown}: {str(error).lower().replace('`', '')}")
    problems += contradictions(given)
    if problems:
        raise SettingsError(problems)
    return kind(**given)


def _converted(written: str, kind: Any) -> Any:
    return Path(written) if kind is Path else msgspec.convert(written, kind, strict=False)
