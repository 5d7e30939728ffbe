"""Tasks that outlive whoever has them begun."""

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, TypeVar

_R = TypeVar("_R")


def apart(doing: Coroutine[Any, Any, _R], name: str) -> asyncio.Task[_R]:
    """Begin one that knows nothing of the request or the job that happens to be the first to need it.

    Else all that it ever does would be seen in the trace of that one.
    """
    return asyncio.get_running_loop().create_task(doing, name=name, context=Context())
