"""A function's annotations as types, whether they were written as types or as text."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from goatherd.errors import DefinitionError

#: What an annotation that was written as text may raise when it is read.
_UNRESOLVED = (NameError, AttributeError, TypeError, SyntaxError)


def resolve(function: Callable[..., Any], scope: Mapping[str, Any]) -> dict[str, Any] | None:
    """The annotations, or None while a name in them is not defined yet (it may follow later in the module)."""
    try:
        return get_type_hints(function, localns=dict(scope), include_extras=True)
    except _UNRESOLVED:
        return None


def resolve_now(function: Callable[..., Any], task: str) -> dict[str, Any]:
    """The annotations at start, when everything must be defined."""
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as error:
        raise DefinitionError(
            f"An annotation of task {task!r} names {error.name!r}, which does not exist when the program runs. "
            f"Import it outside of `if TYPE_CHECKING:`, for arguments are checked against it."
        ) from error
    except _UNRESOLVED as error:
        raise DefinitionError(f"An annotation of task {task!r} cannot be read: {error}.") from error


def caller_scope(depth: int = 2) -> Mapping[str, Any]:
    """The local names around a decorator, so that types made inside a function can be found."""
    frame = inspect.currentframe()
    for _ in range(depth):
        frame = frame.f_back if frame is not None else None
    return dict(frame.f_locals) if frame is not None else {}
