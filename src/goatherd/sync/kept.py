"""An async context manager that is entered now and left later, at the wish of others."""

import asyncio
import contextvars
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from goatherd.errors import Unavailable

#: Seconds that entering gets to end when it is to be left already.
ENTERING = 2.0

_E = TypeVar("_E", bound=BaseException)


class Kept:
    """Enters and leaves in one task of its own, as lifespans may need; made on the event loop."""

    def __init__(self, inside: AbstractAsyncContextManager[Any], name: str) -> None:
        loop = asyncio.get_running_loop()
        self._name = name
        self._entered: asyncio.Future[None] = loop.create_future()
        self._leave = asyncio.Event()
        # It outlives the job that asked for it first, so it does not carry that job's trace.
        self._task = loop.create_task(self._keep(inside), name=f"goatherd {name}", context=contextvars.Context())

    @property
    def is_over(self) -> bool:
        """Whether it has failed, or is left or being left."""
        return self._leave.is_set() or self._task.done()

    @property
    def is_entered(self) -> bool:
        """Whether it can be used now."""
        return self._entered.done() and not self.is_over

    async def entered(self) -> None:
        """Return when it is entered; raises what entering raised, to everyone who waits."""
        await asyncio.wait([self._entered])
        error = self._entered.exception()
        if error is not None:
            # Many threads raise it, each with its own frames.
            raise _copy(error)

    async def leave(self) -> None:
        """Leave it; raises what leaving raised. Entering that takes long is given up. Idempotent."""
        self._leave.set()
        # Cut off in the middle, it might leave something open behind.
        await asyncio.wait([self._entered], timeout=ENTERING)
        if not self._entered.done():
            self._task.cancel()
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.result()

    async def _keep(self, inside: AbstractAsyncContextManager[Any]) -> None:
        try:
            async with inside:
                self._entered.set_result(None)
                await self._leave.wait()
        except BaseException as error:
            if self._entered.done():
                raise
            given_up = isinstance(error, asyncio.CancelledError)
            self._entered.set_exception(
                Unavailable(f"Given up before it was ready: {self._name}.") if given_up else error
            )
            # Those who waited may be gone; then there is nobody to be told.
            self._entered.exception()


def _copy(error: _E) -> _E:
    """Another error that says the same; its class is not asked, for it may want other arguments than it keeps."""
    other: _E = type(error).__new__(type(error), *error.args)
    other.__dict__.update(error.__dict__)
    other.__cause__, other.__context__ = error.__cause__, error.__context__
    other.__suppress_context__ = error.__suppress_context__
    return other.with_traceback(error.__traceback__)
