"""What operators ask of lanes."""

from collections.abc import Callable, Sequence
from typing import Any

from goatherd.adapters.postgres.bell import Bell
from goatherd.adapters.postgres.lane_arrays import burial_bytes, burial_in, micros, seconds
from goatherd.adapters.postgres.pool import Pool, Row
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import LaneCondition, LaneJob, LaneState

_STATE = """
    SELECT h.lane, h.condition, t.placed - h.passed, h.queue, i.id, h.since, h.due, h.worker, h.deaths, h.burial
    FROM {heads} h
    JOIN goatherd.lane_tail t ON t.app = h.app AND t.lane = h.lane
    JOIN goatherd.lane_item i ON i.app = h.app AND i.lane = h.lane AND i.seq = h.seq
"""
_FIND = """
    WITH heads AS MATERIALIZED (
        SELECT * FROM goatherd.lane_head h
        WHERE h.app = %s AND strpos(h.lane, %s) > 0 AND {which} ORDER BY h.since, h.turn LIMIT %s
    ) {state} ORDER BY h.since, h.turn
"""
#: These alone are found through an index.
_FIND_HELD = _FIND.format(which="h.condition = 'held'", state=_STATE.format(heads="heads"))
_FIND_OTHERS = _FIND.format(which="h.condition = ANY (%s::text[])", state=_STATE.format(heads="heads"))
_GET = _STATE.format(heads="goatherd.lane_head") + (
    "WHERE h.app = %s AND h.lane = %s AND h.condition IN ('ready', 'running', 'waiting', 'held')"
)
_JOBS = """
    SELECT i.seq, i.id, i.queue, i.content, greatest(i.accepted, i.due) FROM goatherd.lane_item i
    WHERE i.app = %s AND i.lane = %s ORDER BY i.seq LIMIT %s
"""
_OTHERS = ["ready", "running", "waiting"]


class PostgresLaneOperations:
    """Satisfies `LaneOperations`."""

    def __init__(self, pool: Pool, app: str, bell: Bell, now: Callable[[], float] | None = None) -> None:
        self._pool = pool
        self._app = app
        self._bell = bell
        self._now = now

    async def find(
        self, *, condition: LaneCondition | None = None, containing: str = "", limit: int = 100
    ) -> Sequence[LaneState]:
        rows: list[Row] = []
        if condition in (None, "held"):
            rows = await self._pool.run(_FIND_HELD, (self._app, containing, limit))
        if condition != "held" and len(rows) < limit:
            wanted = _OTHERS if condition is None else [condition]
            rows += await self._pool.run(_FIND_OTHERS, (self._app, containing, wanted, limit - len(rows)))
        return [_state(row) for row in rows]

    async def get(self, key: str) -> LaneState | None:
        for row in await self._pool.run(_GET, (self._app, key)):
            return _state(row)
        return None

    async def jobs(self, key: str, limit: int) -> Sequence[LaneJob]:
        rows = await self._pool.run(_JOBS, (self._app, key, limit))
        return [
            LaneJob(seq=seq, id=id, queue=queue, content=content, accepted=seconds(accepted))
            for seq, id, queue, content, accepted in rows
        ]

    async def retry(self, key: str, content: bytes | None = None, *, seq: int | None = None) -> bool:
        sql = "SELECT ARRAY[goatherd.lane_retry(%s, %s, %s, %s::bigint, %s::bigint)]"
        return await self._change(sql, key, content, seq)

    async def skip(self, key: str, burial: Burial, *, seq: int | None = None) -> bool:
        sql = "SELECT goatherd.lane_skip(%s, %s, %s, %s::bigint, %s::bigint)"
        return await self._change(sql, key, burial_bytes(burial), seq)

    async def unblock(self, key: str) -> bool:
        return await self._change("SELECT ARRAY[goatherd.lane_unblock(%s, %s, %s::bigint)]", key)

    async def _change(self, sql: str, key: str, *more: Any) -> bool:
        """Made once: a second time it could be another job that is skipped."""
        [[rings]] = await self._pool.run(sql, (self._app, key, *more, self._time()), again=False)
        if rings is None or rings == [None]:
            return False
        self._bell.ring(rings)
        return True

    def _time(self) -> int | None:
        """None means the server's own clock."""
        return None if self._now is None else micros(self._now())


def _state(row: Sequence[Any]) -> LaneState:
    key, condition, length, queue, head, since, due, worker, deaths, burial = row
    return LaneState(
        key=key,
        condition=condition,
        length=length,
        queue=queue,
        head=head,
        since=seconds(since),
        until=None if due is None else seconds(due),
        worker=worker,
        deaths=deaths,
        burial=None if burial is None else burial_in(burial),
    )
