"""Which processes there are and what they do, on SQLite."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import apsw
import msgspec

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, run, run_many, value
from goatherd.adapters.throughput_rows import REMEMBERED, Steps, bucket_at, counted_in, rows_of
from goatherd.model.process import BUCKET, Counted, ProcessReport, ProcessRow, ProcessState, Sample
from goatherd.ports.clock import Clock

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Work goes on; what is on record of it may be old."


class SqliteProcessRecords:
    """Satisfies `ProcessRecords`."""

    def __init__(
        self, database: Database, clock: Clock, app: str, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._app = app
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def report(self, report: ProcessReport, alive: float) -> None:
        state, text = report.state, msgspec.json.encode(report.state)

        def write(connection: apsw.Connection) -> None:
            now = self._clock.now()
            who = {"app": self._app, "id": state.id}
            counted = value(connection, "counted_report", who)
            told = {"host": state.host, "started": state.started, "number": report.number, "state": text}
            run(connection, "write_process", {**who, **told, "now": now, "alive": alive})
            run(connection, "forget_silent_processes", {"before": now - REMEMBERED})
            if counted is None or counted < report.number:
                bucket = bucket_at(now)
                added = [
                    (self._app, bucket - ago, name, *counts, events) for ago, name, counts, events in rows_of(report)
                ]
                run_many(connection, "add_throughput", added)

        # What a crash of the machine undoes, it undoes as a whole, and those who live afterwards report again.
        await self._in_time(self._database.write(write, durable=False))

    async def find(self, limit: int = 1000) -> Sequence[ProcessRow]:
        found = await self._read("find_processes", {"now": self._clock.now(), "limit": limit})
        return [
            ProcessRow(state=msgspec.json.decode(state, type=ProcessState), silent=max(0.0, silent))
            for state, silent in found
        ]

    async def leave(self, process: str) -> None:
        await self._change("leave_for_good", {"id": process})

    async def throughput(self, last: float, step: float, queue: str | None = None) -> Sequence[Sample]:
        now, steps = self._clock.now(), Steps.over(last, step)
        first = steps.first(now) * steps.width
        choice = {"first": first, "last": bucket_at(now), "step": steps.width, "queue": queue}
        return steps.samples(now, await self._read("sum_by_step", choice))

    async def counts(self, last: float) -> Mapping[str, Counted]:
        now, steps = self._clock.now(), Steps.over(last, BUCKET)
        found = await self._read("sum_by_queue", {"first": steps.first(now), "last": bucket_at(now)})
        return {name: counted_in(values) for name, *values in found}

    async def prune(self, older_than: float, limit: int) -> int:
        return await self._change(
            "prune_throughput", {"last": bucket_at(self._clock.now() - older_than), "limit": limit}
        )

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _read(self, name: str, choice: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        wanted = {"app": self._app, **choice}
        # Sums of a day are no small thing, and those who write must not wait for them.
        return await self._database.reader.read(lambda connection: rows(connection, name, wanted), self._deadline)

    async def _change(self, name: str, choice: Mapping[str, Any]) -> int:
        wanted = {"app": self._app, **choice}
        return await self._in_time(
            self._database.write(lambda connection: run(connection, name, wanted), durable=False)
        )

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)
