"""The port of pipelines' records on PostgreSQL: nearly every call is one statement."""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from goatherd.adapters.postgres import steps_sql as sql
from goatherd.adapters.postgres.connection import Connection
from goatherd.adapters.postgres.lane_arrays import micros, seconds
from goatherd.adapters.postgres.pool import Pool, Row
from goatherd.adapters.postgres.run_operations import PostgresRunOperations
from goatherd.adapters.postgres.steps_arrays import Act, key_of, of_acts, of_holds, of_keys, of_runs, trouble_in
from goatherd.adapters.postgres.steps_horizon import ALL, Horizon
from goatherd.adapters.postgres.store import name_of_store
from goatherd.errors import Unavailable
from goatherd.model.ids import new_id
from goatherd.model.run_record import (
    Advance,
    EndedRun,
    NewRun,
    NoClaim,
    RunLetter,
    Turn,
    UnitClaim,
    UnitExchange,
    UnitExchanged,
    UnitHold,
    UnitKey,
)
from goatherd.model.statement import Statement

#: Columns of an exchange's answer that are about all of it; those of a claim follow.
_ABOUT_ALL = 8


class PostgresSteps(PostgresRunOperations):
    """Satisfies `Steps` and `RunOperations`."""

    def __init__(self, pool: Pool, app: str, now: Callable[[], float] | None = None) -> None:
        super().__init__(pool, app, now)
        self._horizon = Horizon()

    async def open(self) -> None:
        """Learn which database this is."""
        self._store = await name_of_store(self._pool)

    async def begin(self, runs: Sequence[NewRun]) -> Sequence[bool]:
        first: dict[str, NewRun] = {}
        for run in runs:
            first.setdefault(run.id, run)
        if not first:
            return ()
        statement = self._beginning([*first.values()])
        [[told]] = await self._pool.run(statement.sql, statement.parameters)
        begun = dict(zip(first, told, strict=True))
        # Of those with the same id the first one.
        return [begun.pop(run.id, False) for run in runs]

    async def take(self, pipelines: Sequence[str], limit: int, again_after: float) -> Sequence[Turn]:
        began, given = time.monotonic(), self._time()
        # Where time is given, it may stand still or leap.
        back = self._horizon.back(pipelines, began) if given is None else ALL
        parameters = (self._app, list(dict.fromkeys(pipelines)), limit, micros(again_after), given, back)
        turns = [_turn(row) for row in await self._pool.run(sql.TAKE, parameters)]
        if len(turns) < limit:
            self._horizon.note(pipelines, back, began)
        return turns

    async def postpone(self, keys: Sequence[UnitKey], seconds: float) -> None:
        parameters = (self._app, self._time(), micros(seconds), *of_keys(dict.fromkeys(keys)))
        await self._pool.run(sql.POSTPONE, parameters)

    async def exchange(self, exchange: UnitExchange) -> UnitExchanged:
        settled, decided = _each_once(exchange.settled), _each_once(exchange.decided)
        wanted = [*dict.fromkeys(exchange.wanted)]
        parameters = (
            self._app, exchange.worker, exchange.number, len(settled), *of_acts([*settled.values(), *decided.values()]),
            *(of_keys(wanted) if wanted else (None,) * 3), micros(exchange.lease), self._time(),
        )  # fmt: skip
        rows = await self._pool.run(sql.EXCHANGE, parameters)
        if not rows:
            told = f"Exchange {exchange.number} of {exchange.worker} was overtaken by a newer one, so nothing was done."
            raise Unavailable(told)
        (answers, ready, ended, *moved), claims = rows[0][:_ABOUT_ALL], rows[1:]
        answers = answers or []
        return UnitExchanged(
            settled=_answers(exchange.settled, settled, answers[: len(settled)]),
            decided=_answers(exchange.decided, decided, answers[len(settled) :]),
            claims=_claims(exchange.wanted, dict(zip(wanted, claims, strict=True))),
            advances=_advances(moved),
            ready=ready,
            ended=ended,
        )

    async def beat(self, holds: Sequence[UnitHold], lease: float) -> Sequence[bool]:
        if not holds:
            return ()
        [[told]] = await self._pool.run(sql.BEAT, (self._app, self._time(), micros(lease), *of_holds(holds)))
        return list(told)

    async def reap(self, limit: int) -> int:
        [[runs]] = await self._pool.run(sql.OVERDUE, (self._time(), self._app, limit))
        if not runs:
            return 0

        async def make_ready(connection: Connection) -> int:
            # The runs are locked first: they might be about to end, and then nothing of them is told of any more.
            async with connection.transaction():
                await connection.execute(sql.LOCK, (self._app, runs))
                cursor = await connection.execute(sql.REAP, (self._time(), self._app, runs, limit))
                [[count]] = await cursor.fetchall()
            return int(count)

        return await self._pool.use(make_ready)

    async def results(self, wanted: Sequence[tuple[str, str]]) -> Sequence[bytes | None]:
        parameters = (self._app, [run for run, _ in wanted], [step for _, step in wanted])
        return [result for (result,) in await self._pool.run(sql.RESULTS, parameters)]

    async def ended(self, limit: int) -> Sequence[EndedRun]:
        return [
            EndedRun(
                id=id, pipeline=pipeline, state=state, ended_at=seconds(ended), step=step, trouble=trouble_in(trouble)
            )
            for id, pipeline, state, ended, step, trouble in await self._pool.run(sql.ENDED, (self._app, limit))
        ]  # fmt: skip

    async def told(self, runs: Sequence[EndedRun]) -> None:
        parameters = (self._app, [run.id for run in runs], [micros(run.ended_at) for run in runs])
        await self._pool.run(sql.TOLD, parameters)

    async def letters(self, limit: int) -> Sequence[RunLetter]:
        rows = await self._pool.run(sql.LETTERS, (self._app, limit))
        return [RunLetter(id=id, content=content) for id, content in rows]

    async def remove_letters(self, ids: Sequence[str]) -> None:
        await self._pool.run(sql.REMOVE_LETTERS, (self._app, list(ids)))

    async def forget(self, older_than: float, limit: int) -> int:
        async def drop(connection: Connection) -> int:
            async with connection.transaction():
                cursor = await connection.execute(sql.FORGETTABLE, (self._time(), micros(older_than), self._app, limit))
                old = [id for (id,) in await cursor.fetchall()]
                if old:
                    await connection.execute(sql.FORGET_UNITS, (old, self._app))
                    await connection.execute(sql.FORGET_RUNS, (old, self._app))
            return len(old)

        return await self._pool.use(drop)

    def begin_statement(self, run: NewRun) -> Statement | None:
        """Gives NULL, and records nothing, on a database that is another."""
        return Statement(sql.BEGIN_ONE, self._beginning([run]).parameters)

    async def close(self) -> None:
        await self._pool.close()

    def _beginning(self, runs: Sequence[NewRun]) -> Statement:
        return Statement(sql.BEGIN, (self._app, new_id(), self._time(), self._store, *of_runs(runs)))


def _each_once(acts: Sequence[Act]) -> dict[Hashable, Act]:
    """The first of those that are about the same claim, or the same unit."""
    first: dict[Hashable, Act] = {}
    for act in acts:
        first.setdefault(_about(act), act)
    return first


def _about(act: Act) -> Hashable:
    return getattr(act, "hold", None) or key_of(act)


def _answers(acts: Sequence[Act], asked: Mapping[Hashable, Act], answers: Sequence[bool]) -> list[bool]:
    """One for each. What is settled twice is as if it were repeated; to decide it twice is too late."""
    if len(acts) == len(asked):
        return list(answers)
    told = dict(zip(asked, answers, strict=True))
    return [told[_about(act)] if hasattr(act, "hold") else told.pop(_about(act), False) for act in acts]


def _claims(wanted: Sequence[UnitKey], rows: Mapping[UnitKey, Row]) -> list[UnitClaim | NoClaim]:
    """One for each unit; what is wanted twice is given once."""
    given: list[UnitClaim | NoClaim] = []
    met: set[UnitKey] = set()
    for key in wanted:
        reason: NoClaim | None = rows[key][_ABOUT_ALL] or ("taken" if key in met else None)
        given.append(_claim(key, rows[key][_ABOUT_ALL + 1 :]) if reason is None else reason)
        met.add(key)
    return given


def _claim(key: UnitKey, row: Sequence[Any]) -> UnitClaim:
    pipeline, token, size, content, phase, failures, deaths, trouble, trace, priority, accepted, created, round = row
    return UnitClaim(
        key=key, pipeline=pipeline, token=token, size=size, content=content, phase=phase, failures=failures,
        deaths=deaths, trouble=trouble_in(trouble), trace_id=trace, priority=priority, accepted=seconds(accepted),
        created=seconds(created), round=round,
    )  # fmt: skip


def _turn(row: Row) -> Turn:
    run, step, item, pipeline, size, content, phase, failures, tellings, trouble, trace, priority, created, round = row
    return Turn(
        key=UnitKey(run=run, step=step, item=item), pipeline=pipeline, size=size, content=content, phase=phase,
        failures=failures, tellings=tellings, trouble=trouble_in(trouble), trace_id=trace, priority=priority,
        created=seconds(created), round=round,
    )  # fmt: skip


def _advances(columns: Sequence[Sequence[Any] | None]) -> list[Advance]:
    moved = zip(*(column or () for column in columns), strict=True)
    return [Advance(run=run, step=step, state=state, done=done, total=total) for run, step, state, done, total in moved]
