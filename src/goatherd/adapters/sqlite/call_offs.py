"""Word to the workers of a queue that the caller of a job has given up."""

from collections.abc import Callable

import apsw

from goatherd.adapters.sqlite.consumer import Consumer
from goatherd.adapters.sqlite.queries import bells, run


def call_off(connection: apsw.Connection, queue: int, job_id: str) -> list[str]:
    """Drop a job that waits, and leave word for the worker that has it; returns the bells to ring."""
    named = {"queue": queue, "job": job_id}
    # It may be there twice: one that was sent again, or that came back while another worker runs it.
    dropped = run(connection, "call_off_waiting", named)
    told = run(connection, "call_off_claimed", named)
    if not (dropped or told):
        # It may be in a lane, of which we know nothing; whoever takes from it is one of these.
        told = run(connection, "call_off_elsewhere", named)
    return bells(connection, queue) if told else []


def call_off_anywhere(connection: apsw.Connection, job_id: str) -> list[str]:
    """Leave word for the worker that has a job, whatever its queue; one that waits is dropped when it is taken."""
    return bells(connection) if run(connection, "call_off_anywhere", {"job": job_id}) else []


class CallOffs:
    """This process listens for the word; satisfies `Subscription`."""

    def __init__(self, consumer: Consumer, called_off: Callable[[str], None]) -> None:
        self._listeners = consumer.listeners
        self._called_off = called_off
        self._listeners.append(called_off)

    async def stop(self) -> None:
        """Listen no more."""
        if self._called_off in self._listeners:
            self._listeners.remove(self._called_off)
