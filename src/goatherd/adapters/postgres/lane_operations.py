"""What operators ask of lanes."""

from collections.abc import Callable, Sequence
from typing import Any

from goatherd.adapters.postgres.bell import Bell
from goatherd.adapters.postgres.lane_arrays import burial_bytes, burial_in, micros, seconds
from goatherd.adapters.postgres.pool import Pool, Row
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import LaneCondition, LaneJob, LaneState
from goatherd.model.lane_wait import MOST_OVERDUE, MOST_READY, LaneWait, Overdue, ReadyLanes, lane_waits

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
#: In the order of their turns, so that the index alone is read, whatever the server believes of the table.
WAITING = """
    SELECT q.queue, r.count, n.since, goatherd.clock(%s::bigint) FROM unnest(%s::text[]) AS q (queue)
    CROSS JOIN LATERAL (
        SELECT count(*) FROM (
            SELECT FROM goatherd.lane_head h WHERE h.app = %s AND h.queue = q.queue AND h.condition = 'ready'
            ORDER BY h.turn LIMIT %s
        ) first
    ) r
    LEFT JOIN LATERAL (
        SELECT h.since FROM goatherd.lane_head h WHERE h.app = %s AND h.queue = q.queue AND h.condition = 'ready'
        ORDER BY h.turn LIMIT 1
    ) n ON true
"""
OVERDUE = """
    (SELECT h.queue, h.lane, h.due FROM goatherd.lane_head h
     WHERE h.app = %s AND h.due <= %s AND h.condition IN ('running', 'waiting') ORDER BY h.due LIMIT %s)
    UNION ALL
    (SELECT l.queue, l.lane, l.due FROM goatherd.lane_later l
     WHERE l.app = %s AND l.due <= %s ORDER BY l.due, l.place LIMIT %s)
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

    async def waiting(self, queues: Sequence[str], most: int = MOST_READY) -> Sequence[LaneWait]:
        if not queues:
            return []
        found = await self._pool.run(WAITING, (self._time(), list(queues), self._app, most, self._app))
        now = found[0][3]
        late = await self._pool.run(OVERDUE, (self._app, now, MOST_OVERDUE) * 2)
        ready = {
            queue: ReadyLanes(count, None if since is None else seconds(since)) for queue, count, since, _ in found
        }
        overdue = [Overdue(queue, lane, seconds(due)) for queue, lane, due in late]
        return lane_waits(ready, overdue, seconds(now), most)

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
