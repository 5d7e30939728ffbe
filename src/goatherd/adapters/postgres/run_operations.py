"""What operators ask of runs."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, TypeVar

from goatherd.adapters.postgres import run_sql as sql
from goatherd.adapters.postgres.connection import Connection
from goatherd.adapters.postgres.lane_arrays import micros, seconds
from goatherd.adapters.postgres.pool import Pool, Row
from goatherd.adapters.postgres.steps_arrays import of_keys, trouble_in
from goatherd.model.run_record import PlannedStep, RunFilter, RunLook, RunSummary, StepLook, UnitKey

_STATES = ["running", "done", "failed", "cancelled"]

T = TypeVar("T")


class PostgresRunOperations:
    """Satisfies `RunOperations`."""

    def __init__(self, pool: Pool, app: str, now: Callable[[], float] | None = None) -> None:
        self._pool = pool
        self._app = app
        self._now = now
        #: Which database this is.
        self._store = ""

    async def find(self, wanted: RunFilter, limit: int) -> Sequence[RunSummary]:
        states = _STATES if wanted.state is None else [wanted.state]
        if wanted.troubled_step is None:
            rows = await self._pool.run(sql.FIND, (self._app, wanted.pipeline, limit, states))
        else:
            parameters = (self._app, wanted.pipeline, limit, states, wanted.troubled_step)
            rows = await self._pool.run(sql.FIND_TROUBLED, parameters)
        return [_summary(row) for row in rows]

    async def look(self, run: str) -> RunLook | None:
        for *summary, content in await self._pool.run(sql.LOOK, (self._app, run)):
            steps = await self._pool.run(sql.LOOK_AT_STEPS, (run, self._app))
            return RunLook(summary=_summary(summary), input=content, steps=[_step(row) for row in steps])
        return None

    async def cancel(self, run: str) -> bool:
        async def work(connection: Connection) -> bool:
            await self._locked(connection, run)
            [[cancelled]] = await _asked(connection, sql.END, (self._app, [run], "cancelled", None, self._time()))
            return bool(cancelled)

        return await self._once(work)

    async def retry(self, run: str, steps: Sequence[str] | None = None) -> int:
        async def work(connection: Connection) -> int:
            state = await self._locked(connection, run)
            if state is None or (state == "cancelled" and steps is not None):
                return 0
            stuck = await _asked(connection, sql.STUCK, (run, self._app))
            wanted = [UnitKey(run, step, item) for step, item in stuck if steps is None or step in steps]
            if not wanted and state != "cancelled":
                return 0
            return len(await self._go_on(connection, run, state, wanted))

        return await self._once(work)

    async def resume_from(self, run: str, steps: Sequence[PlannedStep]) -> bool:
        names = {step.name for step in steps}

        async def work(connection: Connection) -> bool:
            state = await self._locked(connection, run)
            known: dict[str, str] = dict(await _asked(connection, sql.STATES, (run, self._app)))
            if state is None or not names or not names <= known.keys():
                return False
            # Whoever had something of a step shows an older token than the next one will have; and what was decided
            # is void.
            tokens: dict[str, int] = dict(await _asked(connection, sql.TOKENS, (run, self._app, [*names])))
            await connection.execute(sql.DROP_PARCELS, (run, self._app, [*names]))
            done = {step for step, state in known.items() if state in ("done", "skipped")} - names
            for step in steps:
                missing = len(set(step.after) - done)
                round = tokens[step.name] + 1
                parameters = (missing, missing, round, round, self._time(), run, self._app, step.name)
                await connection.execute(sql.RESET, parameters)
            await self._go_on(connection, run, state, ())
            return True

        return await self._once(work)

    async def requeue(self, pipelines: Sequence[str], step: str | None, limit: int) -> Sequence[UnitKey]:
        async def work(connection: Connection) -> list[UnitKey]:
            found = await _asked(connection, sql.ALL_STUCK, (self._app, list(pipelines), step, step, limit))
            begun: list[UnitKey] = []
            # In the order of their ids, as everybody locks them.
            for run in sorted({run for run, _, _ in found}):
                state = await self._locked(connection, run)
                if state not in (None, "cancelled"):
                    wanted = [UnitKey(*row) for row in found if row[0] == run]
                    begun += await self._go_on(connection, run, state, wanted)
            return [key for key in (UnitKey(*row) for row in found) if key in set(begun)]

        return await self._once(work)

    async def _go_on(
        self, connection: Connection, run: str, state: str, wanted: Collection[UnitKey]
    ) -> Sequence[UnitKey]:
        """These units begin again, and whatever failed; a run that had ended goes on. Gives those of the units."""
        if state != "running":
            await connection.execute(sql.TAKE_UP, (run, self._app))
        # All that is ready is told of: also what was left.
        _, steps, items = of_keys(wanted)
        rows = await _asked(connection, sql.BEGIN_AGAIN, (self._time(), run, self._app, steps, items))
        await connection.execute(sql.TELL_AGAIN, (self._time(), run, self._app))
        if heads := list({step for step, item in rows if item >= 0}):
            count = len(heads)
            parameters = (self._app, [run] * count, heads, [False] * count, [0] * count, [0] * count, self._time())
            await connection.execute(sql.FILL, parameters)
        if not await _asked(connection, sql.LEFT, (run, self._app)):
            # It was cancelled while its last step was done.
            [last] = await _asked(connection, sql.LAST, (run, self._app))
            await connection.execute(sql.END, (self._app, [run], "done", list(last), self._time()))
        begun = {UnitKey(run, step, item) for step, item in rows}
        return [key for key in wanted if key in begun]

    async def _locked(self, connection: Connection, run: str) -> str | None:
        """How it stands, and will until we are done."""
        for (state,) in await _asked(connection, sql.STATE, (run, self._app)):
            return str(state)
        return None

    async def _once(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """In one transaction, which is not made again: in the meantime others may have done something about it."""

        async def whole(connection: Connection) -> T:
            async with connection.transaction():
                return await work(connection)

        return await self._pool.use(whole, again=False)

    def _time(self) -> int | None:
        """None means the server's own clock."""
        return None if self._now is None else micros(self._now())


async def _asked(connection: Connection, statement: str, parameters: Sequence[Any]) -> list[Row]:
    cursor = await connection.execute(statement.encode(), parameters)
    return await cursor.fetchall()


def _summary(row: Sequence[Any]) -> RunSummary:
    id, pipeline, state, created, ended, trouble, done, steps, now_at, failed_at = row
    return RunSummary(
        id=id, pipeline=pipeline, state=state, created=seconds(created),
        ended_at=None if state == "running" else seconds(ended), steps_done=done, steps=steps,
        now_at=tuple((failed_at if state == "failed" else now_at) or ()), trouble=trouble_in(trouble),
    )  # fmt: skip


def _step(row: Sequence[Any]) -> StepLook:
    (name, state, phase, done, total, skipped, failed, compensating, running, failures, deaths, started, ended, worker,
     trouble) = row  # fmt: skip
    return StepLook(
        name=name, state=state, phase=phase, done=done, total=total, skipped=skipped, failed=failed,
        compensating=compensating, running=running, failures=failures, deaths=deaths,
        started_at=None if started is None else seconds(started), ended_at=None if ended is None else seconds(ended),
        worker=worker or "", trouble=trouble_in(trouble),
    )  # fmt: skip
