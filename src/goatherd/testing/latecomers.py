"""Attempts that lost their lanes while they worked, and go on when others have done their jobs."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from goatherd.errors import Fenced
from goatherd.model.verdict import as_exception

#: Seconds until code that lost its lane is stopped, as by a heartbeat that tells of the loss.
NOTICED_AFTER = 1.0

log = logging.getLogger("goatherd.testing")

Code: TypeAlias = Callable[[], Coroutine[Any, Any, object]]


class Latecomers:
    """Those of one worker."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, Code]] = deque()

    def add(self, job: str, code: Code) -> None:
        """The code of an attempt that stands still until the others have come to rest."""
        self._waiting.append((job, code))

    def forget(self) -> None:
        """None of them goes on."""
        self._waiting.clear()

    async def let_one_go(self) -> bool:
        """Let one go on without its lane; false if there is none."""
        if not self._waiting:
            return False
        job, code = self._waiting.popleft()
        try:
            async with asyncio.timeout(NOTICED_AFTER):
                await asyncio.create_task(_run(code), name=f"late attempt of {job}")
        except (Fenced, TimeoutError) as stopped:
            log.debug("The attempt of %s that lost its lane was stopped: %r", job, stopped)
        except Exception:
            log.warning("The attempt of %s that lost its lane failed", job, exc_info=True)
        return True


async def _run(code: Code) -> None:
    try:
        await code()
    except SystemExit as error:
        # It must not end the test's own process.
        raise as_exception(error) from error
