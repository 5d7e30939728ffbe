"""Run a contender's asynchronous code on the event loop that its own command line would choose."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from benchmarks.contender import Working

Result = TypeVar("Result")


def run(contender: Working, code: Coroutine[Any, Any, Result]) -> Result:
    """Like `asyncio.run`, on uvloop for a contender that takes it."""
    with asyncio.Runner(loop_factory=_uvloop if contender.on_uvloop else None) as runner:
        return runner.run(code)


def _uvloop() -> asyncio.AbstractEventLoop:
    import uvloop

    return uvloop.new_event_loop()
