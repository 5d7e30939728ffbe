"""The port of schedules on PostgreSQL, whose clock is that of all."""

from collections.abc import Callable, Sequence

from goatherd.adapters.postgres import schedules_sql as sql
from goatherd.adapters.postgres.connection import Connection
from goatherd.adapters.postgres.lane_arrays import micros
from goatherd.adapters.postgres.pool import Pool
from goatherd.adapters.postgres.schedules_operations import PostgresScheduleOperations
from goatherd.adapters.schedule_rows import can_be_kept, check_text, due_in, firing_in, packed_rule
from goatherd.model.schedule import Decision, Declared, FiringEnd, ScheduleLook


class PostgresSchedules(PostgresScheduleOperations):
    """Satisfies `Schedules` and `ScheduleOperations`."""

    def __init__(self, pool: Pool, app: str, now: Callable[[], float] | None = None) -> None:
        super().__init__(pool, app, None if now is None else lambda: micros(now()))

    async def declare(self, declared: Sequence[Declared], alive: float) -> None:
        names = [each.name for each in declared]
        check_text("name", names)
        rules = [packed_rule(each.rule) for each in declared]
        await self._pool.run(sql.DECLARE, (self._app, names, rules, alive, self._time()))

    async def look(self, names: Sequence[str], limit: int) -> ScheduleLook:
        wanted = [name for name in dict.fromkeys(names) if can_be_kept(name)]

        async def work(connection: Connection) -> ScheduleLook:
            cursor = connection.cursor(binary=True)
            await cursor.execute(sql.MOMENT, (self._app, wanted, self._time()), prepare=True)
            [[now, next_at]] = await cursor.fetchall()
            await cursor.execute(sql.LOOK, (self._app, wanted, now, limit), prepare=True)
            due = tuple([due_in(row) for row in await cursor.fetchall()])
            await cursor.execute(sql.FIRINGS, (self._app, wanted, limit), prepare=True)
            firings = tuple([firing_in(name, row) for name, *row in await cursor.fetchall()])
            return ScheduleLook(now=now, due=due, firings=firings, next_at=next_at)

        return await self._pool.use(work)

    async def decide(self, decisions: Sequence[Decision]) -> Sequence[bool]:
        firings = [(of, new) for of, decision in enumerate(decisions, 1) for new in decision.firings]
        check_text("firing's id", [new.id for _, new in firings if new.id])
        parameters = (
            self._app,
            [decision.name for decision in decisions],
            [decision.rev for decision in decisions],
            [decision.next_at for decision in decisions],
            [of for of, _ in firings],
            [new.tick for _, new in firings],
            [new.id for _, new in firings],
            [new.state for _, new in firings],
            [new.missed for _, new in firings],
            self._time(),
        )
        [[heard]] = await self._pool.run(sql.DECIDE, parameters)
        return [bool(each) for each in heard]

    async def begun(self, ids: Sequence[str], *, ended: bool = False) -> None:
        await self._pool.run(sql.BEGIN, (self._app, [id for id in ids if can_be_kept(id)], ended, self._time()))

    async def ended(self, ends: Sequence[FiringEnd]) -> bool:
        told = [end for end in ends if can_be_kept(end.id)]
        parameters = (self._app, [end.id for end in told], [end.state for end in told], self._time())
        [[to_do]] = await self._pool.run(sql.END, parameters)
        return bool(to_do)

    async def forget(self, older_than: float, limit: int) -> int:
        [[count]] = await self._pool.run(sql.FORGET, (self._app, older_than, limit, self._time()))
        return int(count)

    async def close(self) -> None:
        await self._pool.close()
