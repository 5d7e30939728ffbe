"""A tracked job, here or in any other process that knows its id."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from goatherd.engine.tracked import failure_of
from goatherd.model import reply
from goatherd.model.job_state import JobState, Status
from goatherd.model.seconds import Seconds, seconds
from goatherd.model.signature import Signature

if TYPE_CHECKING:
    from goatherd.app import Goatherd

R_co = TypeVar("R_co", covariant=True)


class Run(Generic[R_co]):
    """A tracked job; `await run.result()` waits for its end."""

    def __init__(self, app: Goatherd, id: str, signature: Signature | None = None) -> None:
        self._app = app
        self._id = id
        self._signature = signature

    def __repr__(self) -> str:
        return f"<Run {self._id} of {self._app.name}>"

    @property
    def app(self) -> Goatherd:
        """The app it belongs to."""
        return self._app

    @property
    def id(self) -> str:
        """The job's id."""
        return self._id

    async def status(self) -> Status:
        """In one word; raises UnknownJob."""
        return (await self._app.session().tracked.state(self._id)).status

    async def result(self, timeout: Seconds | None = None) -> R_co:
        """Wait for the end; `JobFailed` if it failed, `TimeoutError` if you waited enough."""
        limit = None if timeout is None else seconds(timeout)
        async with asyncio.timeout(limit):
            state = await self._app.session().tracked.end(self._id)
        return cast(R_co, self._result_in(state))

    def _result_in(self, state: JobState) -> Any:
        if state.result is None:
            raise failure_of(self._id, state)
        if self._signature is None:
            import msgspec

            return msgspec.json.decode(state.result)
        return reply.read(self._id, state.result, self._signature, bare=True)
