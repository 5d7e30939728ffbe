"""Run a command that works all day."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from goatherd.engine.loops import faster_loop

Result = TypeVar("Result")


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """Like `asyncio.run`, on the fastest loop there is."""
    with asyncio.Runner(loop_factory=faster_loop()) as runner:
        return runner.run(main)
