"""The lanes port on PostgreSQL: every call is one statement, which calls a function of the schema."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from goatherd.adapters.postgres.bell import Bell, PostgresWatch
from goatherd.adapters.postgres.lane_arrays import (
    burial_in,
    micros,
    of_holds,
    of_items,
    of_settlements,
    seconds,
    without_repeats,
)
from goatherd.adapters.postgres.lane_operations import PostgresLaneOperations
from goatherd.adapters.postgres.pool import Pool
from goatherd.adapters.postgres.store import THIS_STORE, name_of_store
from goatherd.errors import Unavailable
from goatherd.model.lane import (
    REMEMBERED_FOR,
    Claim,
    Exchange,
    Exchanged,
    Hold,
    LaneItem,
    LaneLetter,
    Placement,
    Settlement,
)
from goatherd.model.statement import InLane, IntoLane, Statement
from goatherd.ports.lanes import WakeUp

#: Without `::`, which not every library of the users takes for what it is.
_ENQUEUE = """
    SELECT answers, aheads, rings FROM goatherd.lane_enqueue(
        CAST(%s AS text), CAST(%s AS text), CAST(%s AS bigint), CAST(%s AS text[]), CAST(%s AS text[]),
        CAST(%s AS text[]), CAST(%s AS bytea[]), CAST(%s AS text[]), CAST(%s AS bigint[]), CAST(%s AS bigint[]),
        CAST(%s AS boolean[]), CAST(%s AS boolean[]), CAST(%s AS bigint), CAST(%s AS bigint))
"""
_EXCHANGE = """
    SELECT * FROM goatherd.lane_exchange(
        %s, %s, %s::bigint, %s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bytea[], %s::bigint[], %s::bytea[],
        %s::text[], %s::text[], %s::integer, %s::bigint, %s::bigint)
"""
_BEAT = "SELECT goatherd.lane_beat(%s, %s::text[], %s::bigint[], %s::bigint[], %s::bigint, %s::bigint)"
_LETTERS = """
    SELECT id, lane, content, accepted, burial, behind FROM goatherd.lane_letter WHERE app = %s ORDER BY place LIMIT %s
"""
_REMOVE_LETTERS = "DELETE FROM goatherd.lane_letter WHERE app = %s AND id = ANY (%s::text[])"
_PROBE = f"SELECT found.store = %s FROM ({THIS_STORE}) AS found (store)"
_COMMIT = "SELECT goatherd.lane_commit(%s, %s, CAST(%s AS bigint), CAST(%s AS bigint), CAST(%s AS bigint))"


class PostgresLanes(PostgresLaneOperations):
    """Satisfies `Lanes` and `LaneOperations`."""

    def __init__(self, pool: Pool, app: str, deadline: float, now: Callable[[], float] | None = None) -> None:
        super().__init__(pool, app, Bell(pool, app, deadline), now)
        #: Which database this is.
        self._store = ""

    async def open(self) -> None:
        """Learn which database this is."""
        self._store = await name_of_store(self._pool)

    async def enqueue(self, sender: str, number: int, items: Sequence[LaneItem]) -> Sequence[Placement]:
        if not items:
            return ()
        parameters = (self._app, sender, number, *of_items(items), micros(REMEMBERED_FOR), self._time())
        [[answers, aheads, rings]] = await self._pool.run(_ENQUEUE, parameters)
        if answers is None:
            raise _overtaken(number, sender)
        self._bell.ring(rings or ())
        return [Placement(answer=answer, ahead=ahead) for answer, ahead in zip(answers, aheads, strict=True)]

    async def exchange(self, exchange: Exchange) -> Exchanged:
        settled, places = without_repeats(exchange.settled)
        parameters = (
            self._app,
            exchange.worker,
            exchange.number,
            *of_settlements(settled),
            list(exchange.queues),
            exchange.wanted if exchange.queues else 0,
            micros(exchange.lease),
            self._time(),
        )
        rows = await self._pool.run(_EXCHANGE, parameters)
        if not rows:
            raise _overtaken(exchange.number, exchange.worker)
        (told, rings, next_due, letters, *_), *claims = rows
        self._bell.ring(rings)
        return Exchanged(
            settled=_spread(told, places, exchange.settled),
            claims=[_claim(row[4:]) for row in claims],
            next_due=None if next_due is None else seconds(next_due),
            letters=letters,
        )

    async def beat(self, holds: Sequence[Hold], lease: float) -> Sequence[bool]:
        if not holds:
            return ()
        parameters = (self._app, *of_holds(holds), micros(lease), self._time())
        [[told]] = await self._pool.run(_BEAT, parameters)
        return list(told)

    async def watch(self, queues: Sequence[str], wake: WakeUp) -> PostgresWatch:
        return await self._bell.add(queues, wake)

    async def letters(self, limit: int) -> Sequence[LaneLetter]:
        return [_letter(row) for row in await self._pool.run(_LETTERS, (self._app, limit))]

    async def remove_letters(self, ids: Sequence[str]) -> None:
        await self._pool.run(_REMOVE_LETTERS, (self._app, list(ids)))

    async def close(self) -> None:
        await self._bell.close()
        await self._pool.close()

    # --- in a transaction of the user's own --------------------------------------------------------------

    def within(self, hold: Hold) -> InLane:
        probe, commit = Statement(_PROBE, (self._store,)), self.commit_statement(hold)
        return InLane(probe=probe, commit=commit, kind="postgresql")

    def commit_statement(self, hold: Hold) -> Statement:
        """Gives a row that says 'done', 'newer' or 'applied'."""
        return Statement(_COMMIT, (self._app, hold.lane, hold.token, hold.seq, self._time()))

    def entry_within(self, items: Sequence[LaneItem]) -> IntoLane:
        return IntoLane(probe=Statement(_PROBE, (self._store,)), enqueue=self.enqueue_statement(items))

    def enqueue_statement(self, items: Sequence[LaneItem]) -> Statement:
        """Gives a row with what became of each, how many are ahead of it, and queues to ring for after the commit."""
        return Statement(_ENQUEUE, (self._app, None, None, *of_items(items), micros(REMEMBERED_FOR), self._time()))

    def ring(self, queues: Sequence[str]) -> None:
        """Call workers of these queues; does not wait."""
        self._bell.ring(queues)


def _overtaken(number: int, peer: str) -> Unavailable:
    return Unavailable(f"Call {number} of {peer} was overtaken by a newer one of it, so nothing was done.")


def _spread(told: Sequence[bool], places: Sequence[int], settled: Sequence[Settlement]) -> Sequence[bool]:
    """What was told of each claim, at the first place where it was; false at the others."""
    answers = [False] * len(settled)
    for place, answer in zip(places, told, strict=True):
        answers[place] = answer
    return answers


def _claim(row: Sequence[Any]) -> Claim:
    lane, token, seq, id, queue, content, on_exhausted, accepted, deaths = row
    return Claim(
        lane=lane,
        token=token,
        seq=seq,
        id=id,
        queue=queue,
        content=content,
        on_exhausted=on_exhausted,
        accepted=seconds(accepted),
        deaths=deaths,
    )


def _letter(row: Sequence[Any]) -> LaneLetter:
    id, lane, content, accepted, kept, behind = row
    burial = burial_in(kept)
    if behind is not None:
        burial = msgspec.structs.replace(
            burial,
            reason="rejected",
            error_type="LaneCancelled",
            message=f"the job ahead of it in its lane, {behind}, was given up: {burial.message}",
            traceback="",
            attempts=0,
        )
    return LaneLetter(id=id, lane=lane, content=content, accepted=seconds(accepted), burial=burial)
