"""The event loop of a process that works all day: uvloop where it is installed, else Python's own."""

import asyncio
from collections.abc import Callable


def faster_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Makes a loop that is faster than Python's own; None if there is none."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
