"""Functions that are given to us by programs."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call of it can be awaited, as far as that can be seen."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 - an object's own function is what is looked at


def name_of(function: Callable[..., Any]) -> str:
    """Where it stands in the program: the same in every process of it."""
    while isinstance(function, partial):
        function = function.func
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"
