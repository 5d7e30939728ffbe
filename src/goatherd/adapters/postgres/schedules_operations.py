"""What people ask of schedules on PostgreSQL."""

from collections.abc import Callable, Sequence
from typing import Literal

from goatherd.adapters.postgres import schedules_sql as sql
from goatherd.adapters.postgres.pool import Pool, Row
from goatherd.adapters.schedule_rows import can_be_kept, check_text, firing_in, packed_rule, unpacked_rule
from goatherd.model.schedule import Firing, ScheduleRule, ScheduleState


class PostgresScheduleOperations:
    """Satisfies `ScheduleOperations`."""

    def __init__(self, pool: Pool, app: str, now: Callable[[], int] | None = None) -> None:
        self._pool = pool
        self._app = app
        #: In microseconds; without it, time is the server's.
        self._now = now

    async def list(self) -> Sequence[ScheduleState]:
        await self._pool.run(sql.EXPIRE, (self._app, self._time()))
        rows = await self._pool.run(sql.LIST, (self._app,))
        places = [place for row in rows for place in row[-2:] if place is not None]
        kept = await self._pool.run(sql.BY_PLACE, (places,))
        firings = {place: firing_in(name, row) for place, name, *row in kept}
        return [_state(row, firings) for row in rows]

    async def history(self, name: str, limit: int) -> Sequence[Firing]:
        if not can_be_kept(name):
            return []
        rows = await self._pool.run(sql.HISTORY, (limit, name, self._app))
        return [firing_in(name, row) for name, *row in rows]

    async def set(self, name: str, rule: ScheduleRule, job: bytes | None) -> None:
        check_text("name", [name])
        await self._pool.run(sql.SET, (self._app, name, packed_rule(rule), job, self._time()))

    async def remove(self, name: str) -> bool:
        if not can_be_kept(name):
            return False
        # Not again: who asks twice is told that nothing was set.
        [[removed]] = await self._pool.run(sql.REMOVE, (self._app, name, self._time()), again=False)
        return bool(removed)

    async def pause(self, name: str) -> bool:
        return await self._change(sql.PAUSE, name)

    async def resume(self, name: str) -> bool:
        return await self._change(sql.RESUME, name)

    async def trigger(self, name: str, id: str) -> Firing | None:
        check_text("firing's id", [id])
        if not can_be_kept(name):
            return None
        [[place]] = await self._pool.run(sql.TRIGGER, (self._app, name, id, self._time()))
        if place is None:
            return None
        for _, schedule, *row in await self._pool.run(sql.BY_PLACE, ([place],)):
            return firing_in(schedule, row)
        return None

    async def _change(self, statement: str, name: str) -> bool:
        if not can_be_kept(name):
            return False
        return bool(await self._pool.run(statement, (self._time(), name, self._app)))

    def _time(self) -> int | None:
        return None if self._now is None else self._now()


def _state(row: Row, firings: dict[int, Firing]) -> ScheduleState:
    name, rule, is_chosen, fires, paused, next_at, open, waiting, newest, newest_end = row
    origin: Literal["code", "set", "gone"] = "gone"
    if fires:
        origin = "set" if is_chosen else "code"
    return ScheduleState(
        name=name,
        rule=unpacked_rule(rule),
        origin=origin,
        paused=paused,
        next_at=next_at,
        open=open,
        waiting=waiting,
        last=firings.get(newest),
        last_end=firings.get(newest_end),
    )
