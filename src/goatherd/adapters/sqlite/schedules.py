"""The port of schedules on SQLite: each call is one transaction."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import apsw

from goatherd.adapters.schedule_rows import can_be_kept, check_text, packed_rule
from goatherd.adapters.sqlite import schedules_firings as firings
from goatherd.adapters.sqlite import schedules_looks as looks
from goatherd.adapters.sqlite import schedules_versions as versions
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.schedules_row import find_known
from goatherd.model.schedule import (
    Decision,
    Declared,
    Firing,
    FiringEnd,
    ScheduleLook,
    ScheduleRule,
    ScheduleState,
)
from goatherd.ports.clock import Clock

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Try again: what was done all the same is not done twice."


class SqliteSchedules:
    """Satisfies `Schedules` and `ScheduleOperations`."""

    def __init__(
        self, database: Database, clock: Clock, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def declare(self, declared: Sequence[Declared], alive: float) -> None:
        check_text("name", [each.name for each in declared])
        rules = [(each.name, packed_rule(each.rule)) for each in declared]

        def declare_all(connection: apsw.Connection, now: float) -> None:
            for name, rule in rules:
                versions.declare(connection, now, name, rule, alive)

        # Said again and again, so a power cut may undo it.
        await self._write(declare_all, durable=False)

    async def look(self, names: Sequence[str], limit: int) -> ScheduleLook:
        wanted = [name for name in names if can_be_kept(name)]
        return await self._see(lambda connection, now: looks.look_at(connection, now, wanted, limit))

    async def decide(self, decisions: Sequence[Decision]) -> Sequence[bool]:
        check_text("firing's id", [new.id for decision in decisions for new in decision.firings if new.id])
        return await self._write(
            lambda connection, now: [firings.decide(connection, now, decision) for decision in decisions]
        )

    async def begun(self, ids: Sequence[str], *, ended: bool = False) -> None:
        def begin_all(connection: apsw.Connection, now: float) -> None:
            for id in filter(can_be_kept, ids):
                firings.begin(connection, now, id, ended=ended)

        # A run that has begun is begun again in vain; a job that is sent again has the same id.
        await self._write(begin_all, durable=False)

    async def ended(self, ends: Sequence[FiringEnd]) -> bool:
        told = [end for end in ends if can_be_kept(end.id)]
        to_do = await self._write(lambda connection, now: [firings.end(connection, now, end) for end in told])
        return any(to_do)

    async def forget(self, older_than: float, limit: int) -> int:
        return await self._write(
            lambda connection, now: looks.forget(connection, now - older_than, limit), durable=False
        )

    async def list(self) -> Sequence[ScheduleState]:
        return await self._see(lambda connection, _: looks.states(connection))

    async def history(self, name: str, limit: int) -> Sequence[Firing]:
        if not can_be_kept(name):
            return []
        return await self._read(lambda connection, _: looks.history(connection, name, limit))

    async def set(self, name: str, rule: ScheduleRule, job: bytes | None) -> None:
        check_text("name", [name])
        kept = packed_rule(rule)
        await self._write(lambda connection, now: versions.choose(connection, now, name, kept, job))

    async def remove(self, name: str) -> bool:
        if not can_be_kept(name):
            return False
        return await self._write(lambda connection, now: versions.take_back(connection, now, name))

    async def pause(self, name: str) -> bool:
        if not can_be_kept(name):
            return False
        return await self._write(lambda connection, now: _pause(connection, now, name))

    async def resume(self, name: str) -> bool:
        if not can_be_kept(name):
            return False
        return await self._write(lambda connection, now: _resume(connection, now, name))

    async def trigger(self, name: str, id: str) -> Firing | None:
        check_text("firing's id", [id])
        if not can_be_kept(name):
            return None
        return await self._write(lambda connection, now: firings.trigger(connection, now, name, id))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _write(self, act: Callable[[apsw.Connection, float], Result], *, durable: bool = True) -> Result:
        def write(connection: apsw.Connection) -> Result:
            # Read when it is this call's turn: what others did before it, they did earlier.
            now = self._clock.now()
            versions.let_expire(connection, now)
            return act(connection, now)

        return await in_time(self._database, self._deadline, self._database.write(write, durable=durable), _COMFORT)

    async def _see(self, act: Callable[[apsw.Connection, float], Result]) -> Result:
        # Asked all the time: whoever writes meanwhile is not to wait for that.
        if await self._read(versions.any_expired):
            return await self._write(act, durable=False)
        return await self._read(act)

    async def _read(self, act: Callable[[apsw.Connection, float], Result]) -> Result:
        asked = self._database.read(lambda connection: act(connection, self._clock.now()))
        return await in_time(self._database, self._deadline, asked, _COMFORT)


def _pause(connection: apsw.Connection, now: float, name: str) -> bool:
    schedule = find_known(connection, name)
    if schedule is not None and not schedule.paused:
        schedule.paused = 1
        schedule.save(connection, now)
    return schedule is not None


def _resume(connection: apsw.Connection, now: float, name: str) -> bool:
    schedule = find_known(connection, name)
    if schedule is not None and schedule.paused:
        schedule.paused = 0
        schedule.ask_for_next()
        schedule.save(connection, now)
    return schedule is not None
