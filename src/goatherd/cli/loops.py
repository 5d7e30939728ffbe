"""The event loop of a process that works all day: uvloop where it is installed, else Python's own."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """Like `asyncio.run`."""
    with asyncio.Runner(loop_factory=_faster_loop()) as runner:
        return runner.run(main)


def _faster_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
