"""`/livez`, `/readyz` and `/metrics` of one process, told from a thread of their own.

The thread answers whatever the event loop of the process does: that is the point of `/livez`, and a page that hangs
together with the program would leave it to a time-out to say so, and nobody would learn where it hangs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from goatherd.engine.health import DEADLINE
from goatherd.engine.pulse import Pulse
from goatherd.errors import GoatherdError, MissingExtra
from goatherd.model.health import Health
from goatherd.web.health_answers import liveness, readiness, unready
from goatherd.web.metrics import CONTENT_TYPE
from goatherd.web.responses import Response

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Seconds that the process may take to answer: what its stores may, and a moment for itself.
PATIENCE = DEADLINE + 0.5

log = logging.getLogger("goatherd.health")

_T = TypeVar("_T")


@dataclass
class Phase:
    """Where a process is in its life, said by who runs its roles: before and after them it is not ready."""

    now: Literal["starting", "running", "stopping"] = "starting"


class HealthPage:
    """Made on the event loop of the process; `answer` is for the thread of the page."""

    def __init__(self, app: Goatherd, roles: Sequence[str], phase: Phase, pulse: Pulse) -> None:
        self._app = app
        self._roles = roles
        self._phase = phase
        self._pulse = pulse
        self._loop = asyncio.get_running_loop()

    async def answer(self, path: str) -> Response:
        """What to say to who asks for a path."""
        match path:
            case "/livez":
                return liveness(self._pulse.trouble, self._pulse.silence)
            case "/readyz":
                return readiness(await self._health(), self._roles)
            case "/metrics":
                return await self._metrics()
        return Response(status=404, body=b"There is nothing here but /livez, /readyz and /metrics.\n")

    async def _health(self) -> Health:
        if self._phase.now == "starting":
            return unready("the process is starting", alive=self._pulse.trouble is None, silence=self._pulse.silence)
        if self._phase.now == "stopping":
            return unready("the process is about to stop")
        try:
            return await self._there(self._app.health)
        except TimeoutError:
            alive = self._pulse.trouble is None
            return unready(self._no_answer(), alive=alive, silence=self._pulse.silence)
        except GoatherdError as error:
            return unready(str(error))

    async def _metrics(self) -> Response:
        async def text() -> str:
            return self._app.metrics()

        try:
            return Response(status=200, body=(await self._there(text)).encode(), type=CONTENT_TYPE)
        except TimeoutError:
            return Response(status=503, body=f"{self._no_answer()}\n".encode())
        except MissingExtra as error:
            return Response(status=501, body=f"{error}\n".encode())

    def _no_answer(self) -> str:
        return self._pulse.trouble or f"the event loop did not answer within {PATIENCE:g} s"

    async def _there(self, ask: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """What is told on the event loop of the process; raises TimeoutError."""
        answer: Awaitable[_T] = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(ask(), self._loop))
        async with asyncio.timeout(PATIENCE):
            return await answer
