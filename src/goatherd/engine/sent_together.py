"""Send jobs that are ready at the same moment in one go, which costs their stores far less than each by itself."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from goatherd.model.job import AnyJob


class SentTogether:
    """Of jobs with ids, so that one that is sent once more is not done twice."""

    def __init__(
        self, send: Callable[[AnyJob], Awaitable[str]], send_many: Callable[[Sequence[AnyJob]], Awaitable[object]]
    ) -> None:
        self._send = send
        self._send_many = send_many
        self._ready: list[tuple[AnyJob, asyncio.Future[None]]] = []

    async def send(self, job: AnyJob) -> None:
        """Send it with those that others send now; raises what happened to this one."""
        if job.definition.tracked:
            # It is noted, too, which is done for each by itself.
            await self._send(job)
            return
        sent = asyncio.get_running_loop().create_future()
        self._ready.append((job, sent))
        if len(self._ready) == 1:
            # All who are about to send can say so.
            await asyncio.sleep(0)
            ready, self._ready = self._ready, []
            await self._send_all(ready)
        await sent

    async def _send_all(self, ready: Sequence[tuple[AnyJob, asyncio.Future[None]]]) -> None:
        try:
            await self._send_many([job for job, _ in ready])
        except Exception as error:  # noqa: BLE001 - told to whoever sends that job
            if len(ready) == 1:
                _tell(ready[0][1], error)
                return
            # One of them may be to blame, and is not to keep back the others.
            await asyncio.gather(*(self._send_all([each]) for each in ready))
        else:
            for _, sent in ready:
                _tell(sent)
        finally:
            for _, sent in ready:
                sent.cancel()


def _tell(sent: asyncio.Future[None], error: Exception | None = None) -> None:
    if sent.done():
        # Whoever waited was cancelled.
        return
    if error is None:
        sent.set_result(None)
    else:
        sent.set_exception(error)
