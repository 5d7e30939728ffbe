"""The port of pipelines' records on SQLite: each call is one transaction."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import apsw
import msgspec

from goatherd.adapters.sqlite import steps_operations as operations
from goatherd.adapters.sqlite import steps_reading as reading
from goatherd.adapters.sqlite import steps_turns as turns
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.lanes_peers import once
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import run, run_many
from goatherd.adapters.sqlite.steps_change import Change
from goatherd.adapters.sqlite.steps_claims import claim, claim_again
from goatherd.adapters.sqlite.steps_decisions import decide
from goatherd.adapters.sqlite.steps_looks import find_runs, look_at
from goatherd.adapters.sqlite.steps_settling import settle
from goatherd.model.run_record import (
    EndedRun,
    NewRun,
    NoClaim,
    PlannedStep,
    RunFilter,
    RunLetter,
    RunLook,
    RunSummary,
    Turn,
    UnitClaim,
    UnitExchange,
    UnitExchanged,
    UnitHold,
    UnitKey,
)
from goatherd.model.statement import Statement
from goatherd.ports.clock import Clock

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Try again: what was done all the same is not done twice."


class _Given(msgspec.Struct, frozen=True, array_like=True):
    """What a worker was answered; the units themselves are on record."""

    settled: list[bool]
    decided: list[bool]
    #: Tokens, or why there is none.
    claims: list[int | NoClaim]
    ready: bool
    ended: bool


_decode_given = msgspec.msgpack.Decoder(_Given).decode


class SqliteSteps:
    """Satisfies `Steps` and `RunOperations`."""

    def __init__(
        self, database: Database, clock: Clock, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def begin(self, runs: Sequence[NewRun]) -> Sequence[bool]:
        return await self._write(lambda connection, now: [turns.begin(connection, now, new) for new in runs])

    async def take(self, pipelines: Sequence[str], limit: int, again_after: float) -> Sequence[Turn]:
        # Asked all the time, mostly in vain: whoever writes meanwhile is not to wait for that.
        if not await self._read(lambda connection: turns.any_due(connection, self._clock.now(), pipelines)):
            return []
        return await self._write(
            lambda connection, now: turns.take(connection, now, pipelines, limit, again_after), durable=False
        )

    async def postpone(self, keys: Sequence[UnitKey], seconds: float) -> None:
        await self._write(lambda connection, now: turns.postpone(connection, now, keys, seconds), durable=False)

    async def exchange(self, exchange: UnitExchange) -> UnitExchanged:
        # A claim that a power cut undoes is made again under a greater token; what is done, stays done.
        durable = bool(exchange.settled or exchange.decided)
        return await self._write(lambda connection, now: _exchange(Change(connection, now), exchange), durable=durable)

    async def beat(self, holds: Sequence[UnitHold], lease: float) -> Sequence[bool]:
        def prolong(connection: apsw.Connection, now: float) -> list[bool]:
            rows = [(now + lease, hold.key.run, hold.key.step, hold.key.item, hold.token) for hold in holds]
            return [run(connection, "beat_unit", row) > 0 for row in rows]

        return await self._write(prolong, durable=False)

    async def reap(self, limit: int) -> int:
        if not await self._read(lambda connection: turns.any_lost(connection, self._clock.now())):
            return 0
        return await self._write(lambda connection, now: turns.reap(connection, now, limit), durable=False)

    async def next_due(self) -> float | None:
        """Seconds until there is something to take or to reap; 0 if there is now, None if there will be nothing.

        No part of the port: for tests, whose clock stands still until they move it there.
        """
        return await self._read(lambda connection: turns.next_due(connection, self._clock.now()))

    async def results(self, wanted: Sequence[tuple[str, str]]) -> Sequence[bytes | None]:
        return await self._read(lambda connection: reading.results(connection, wanted))

    async def ended(self, limit: int) -> Sequence[EndedRun]:
        return await self._read(lambda connection: reading.untold(connection, limit))

    async def told(self, runs: Sequence[EndedRun]) -> None:
        await self._write(lambda connection, _: reading.note_told(connection, runs), durable=False)

    async def letters(self, limit: int) -> Sequence[RunLetter]:
        return await self._read(lambda connection: reading.letters(connection, limit))

    async def remove_letters(self, ids: Sequence[str]) -> None:
        named = [(id,) for id in ids]
        await self._write(lambda connection, _: run_many(connection, "drop_run_letter", named), durable=False)

    async def forget(self, older_than: float, limit: int) -> int:
        return await self._write(
            lambda connection, now: reading.forget(connection, now - older_than, limit), durable=False
        )

    def begin_statement(self, run: NewRun) -> Statement | None:
        # A user's connection cannot share our file.
        return None

    async def find(self, wanted: RunFilter, limit: int) -> Sequence[RunSummary]:
        return await self._read(lambda connection: find_runs(connection, wanted, limit))

    async def look(self, run: str) -> RunLook | None:
        return await self._read(lambda connection: look_at(connection, run))

    async def cancel(self, run: str) -> bool:
        return await self._write(lambda connection, now: operations.cancel(Change(connection, now), run))

    async def retry(self, run: str, steps: Sequence[str] | None = None) -> int:
        return await self._write(lambda connection, now: operations.retry(Change(connection, now), run, steps))

    async def resume_from(self, run: str, steps: Sequence[PlannedStep]) -> bool:
        return await self._write(lambda connection, now: operations.resume_from(Change(connection, now), run, steps))

    async def requeue(self, pipelines: Sequence[str], step: str | None, limit: int) -> Sequence[UnitKey]:
        return await self._write(
            lambda connection, now: operations.requeue(Change(connection, now), pipelines, step, limit)
        )

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _write(self, act: Callable[[apsw.Connection, float], Result], *, durable: bool = True) -> Result:
        def write(connection: apsw.Connection) -> Result:
            # Read when it is this call's turn: what others did before it, they did earlier.
            return act(connection, self._clock.now())

        return await in_time(self._database, self._deadline, self._database.write(write, durable=durable), _COMFORT)

    async def _read(self, act: Callable[[apsw.Connection], Result]) -> Result:
        return await in_time(self._database, self._deadline, self._database.read(act), _COMFORT)


def _exchange(change: Change, exchange: UnitExchange) -> UnitExchanged:
    claims: list[UnitClaim | NoClaim] | None = None

    def act() -> _Given:
        nonlocal claims
        settled = [settle(change, settlement) for settlement in exchange.settled]
        decided = [decide(change, decision) for decision in exchange.decided]
        claims = claim(change, exchange)
        tokens = [each.token if isinstance(each, UnitClaim) else each for each in claims]
        return _Given(settled, decided, tokens, change.ready, change.ended)

    given = once(change, f"steps {exchange.worker}", exchange.number, _decode_given, act)
    if claims is None:
        claims = claim_again(change, exchange.wanted, given.claims)
    return UnitExchanged(
        settled=given.settled, decided=given.decided, claims=claims, advances=change.advances(), ready=given.ready,
        ended=given.ended,
    )  # fmt: skip
