"""Ring for workers whose lanes became ready."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.doorbell import Ringer
from goatherd.adapters.sqlite.lanes_claims import left_ready
from goatherd.adapters.sqlite.lanes_step import Step
from goatherd.adapters.sqlite.queries import rows
from goatherd.adapters.sqlite.watchers import ring_for
from goatherd.ports.clock import Clock

Result = TypeVar("Result")

#: Doorbells to ring, by what is rung for.
Bells = list[tuple[str, list[str]]]


class LaneChanges:
    """Steps on lanes, of one client."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._ringer = Ringer()

    async def make(self, act: Callable[[Step], Result], *, durable: bool = True) -> Result:
        """Do it in one transaction, and ring for lanes that it made ready and left."""

        def write(connection: apsw.Connection) -> tuple[Result, Bells]:
            step = Step(connection, self._clock.now())
            result = act(step)
            step.finish()
            return result, _bells(connection, left_ready(step))

        result, _ = await self._database.write(write, durable=durable, after=self._ring)
        return result

    def close(self) -> None:
        """Ring no more."""
        self._ringer.close()

    def _ring(self, written: tuple[object, Bells]) -> None:
        for topic, bells in written[1]:
            self._ringer.ring(bells, ring_for(topic))


def lane_topic(queue: str) -> str:
    """What workers of a queue watch, among the ids of tracked jobs."""
    return f"lanes of {queue}"


def _bells(connection: apsw.Connection, queues: Iterable[str]) -> Bells:
    return [
        (topic, [address for (address,) in rows(connection, "bells_of_job", (topic,))])
        for topic in map(lane_topic, queues)
    ]  # fmt: skip
