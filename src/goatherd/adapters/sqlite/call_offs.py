"""Word to the workers of a queue that the caller of a job has given up."""

from collections.abc import Callable

import apsw

from goatherd.adapters.sqlite.consumer import Consumer
from goatherd.adapters.sqlite.queries import bells, run


def call_off(connection: apsw.Connection, queue: int, job_id: str) -> list[str]:
    """Drop a call that waits, or leave word for the worker that has it; returns the bells to ring."""
    named = {"queue": queue, "job": job_id}
    if run(connection, "call_off_waiting", named) or not run(connection, "call_off_claimed", named):
        return []
    return bells(connection, queue)


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
