"""Wait for what a test can only look at."""

import asyncio
import time
from collections.abc import Awaitable, Callable

#: Seconds after which a test gives up; reconnecting takes its time.
PATIENCE = 30.0


async def until(come: Callable[[], bool | Awaitable[bool]], what: str, patience: float = PATIENCE) -> float:
    """Look again and again; returns how long it took."""
    began = time.monotonic()
    while time.monotonic() - began < patience:
        seen = come()
        if seen if isinstance(seen, bool) else await seen:
            return time.monotonic() - began
        await asyncio.sleep(0.02)
    raise AssertionError(f"waited {patience:g} s in vain for {what}")
