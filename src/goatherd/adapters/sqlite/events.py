"""The events port on SQLite."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.doorbell import Ringer
from goatherd.adapters.sqlite.event_log import Terms, append_events, find, read_events
from goatherd.adapters.sqlite.feeding import ROUTERS
from goatherd.adapters.sqlite.lineage import boot_id
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, run
from goatherd.adapters.sqlite.watchers import SqliteWatch, Watchers, ring_for
from goatherd.model.admission import Append, Outcome
from goatherd.model.event import Position, Progress, Token
from goatherd.model.job_state import JobState
from goatherd.model.reading import Reading
from goatherd.ports.clock import Clock
from goatherd.ports.events import PAGE, Wake

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Try again: events that were written all the same are not written twice."


class SqliteEvents:
    """Satisfies `Events`."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        ttl: float,
        deadline: float,
        give_back: Callable[[], Awaitable[None]],
    ) -> None:
        self._database = database
        self._clock = clock
        self._ttl = ttl
        self._deadline = deadline
        self._give_back = give_back
        self._ringer = Ringer()
        self._watchers = Watchers(database)
        self._closed = False

    async def append(self, job_id: str, append: Append) -> Outcome:
        heard_by = [job_id] if all(isinstance(event, Token) for event in append.events) else [job_id, ROUTERS]

        def write(connection: apsw.Connection) -> tuple[Outcome, list[tuple[str, list[str]]]]:
            terms = Terms(now=self._clock.now(), ttl=self._ttl, lineage=boot_id())
            outcome = append_events(connection, job_id, append, terms)
            return outcome, [(job, _bells(connection, job)) for job in heard_by if outcome.answer == "ok"]

        def ring(written: tuple[Outcome, list[tuple[str, list[str]]]]) -> None:
            for job, bells in written[1]:
                self._ringer.ring(bells, ring_for(job))

        passing = all(isinstance(event, Progress | Token) for event in append.events)
        durable = not (passing and boot_id())
        outcome, _ = await self._in_time(self._database.write(write, durable=durable, after=ring))
        return outcome

    async def state(self, job_id: str) -> JobState | None:
        now = self._clock.now()
        tracked = await self._in_time(self._database.read(lambda connection: find(connection, job_id, now)))
        return None if tracked is None else tracked.state

    async def read(self, job_id: str, after: Position | None, limit: int = PAGE) -> Reading | None:
        now = self._clock.now()
        return await self._in_time(
            self._database.read(lambda connection: read_events(connection, job_id, after, limit, now))
        )

    async def watch(self, job_id: str, wake: Wake) -> SqliteWatch:
        return await self._in_time(self._watchers.add(job_id, wake))

    async def keep(self, job_id: str, seconds: float) -> None:
        now = self._clock.now()
        row = {"job": job_id, "now": now, "until": now + seconds}
        await self._in_time(self._database.write(lambda connection: run(connection, "keep_job", row), durable=False))

    async def forget(self, job_id: str) -> None:
        await self._in_time(self._database.write(lambda connection: run(connection, "detach", (job_id,))))

    async def close(self) -> None:
        await self._leave(self._watchers.close)

    async def vanish(self) -> None:
        """Be gone as after `kill -9`, for tests of what others do then."""
        await self._leave(self._watchers.vanish)

    async def _leave(self, let_go: Callable[[], Awaitable[None]]) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            await let_go()
        finally:
            self._ringer.close()
            await self._give_back()

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)


def _bells(connection: apsw.Connection, job: str) -> list[str]:
    return [address for (address,) in rows(connection, "bells_of_job", (job,))]
