"""Which processes there are and what they do, on PostgreSQL."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from goatherd.adapters.postgres.lane_arrays import micros
from goatherd.adapters.postgres.pool import Pool
from goatherd.adapters.throughput_rows import REMEMBERED, Steps, counted_in, rows_of
from goatherd.model.process import BUCKET, COUNTS, Counted, ProcessReport, ProcessRow, ProcessState, Sample

_REPORT = f"""
    SELECT goatherd.process_report(
        %s::text, %s::text, %s::text, %s::float8, %s::bigint, %s::bigint, %s::bigint, %s::bigint, %s::bytea,
        %s::bigint[], %s::text[], {", ".join("%s::bigint[]" for _ in COUNTS)}, %s::bigint[])
"""
_FIND = """
    SELECT p.state, ((n.now - p.seen) / 1000000.0)::float8
    FROM (SELECT goatherd.clock(%s::bigint) AS now) n, goatherd.process p
    WHERE p.app = %s AND p.until >= n.now ORDER BY p.host, p.started, p.id LIMIT %s
"""
_LEAVE = "DELETE FROM goatherd.process WHERE app = %s AND id = %s"
#: The store's time comes with every row, also with the empty one if there is no other.
_BY_STEP = """
    SELECT n.now, t.bucket / %s, sum(t.sent)::bigint, sum(t.done)::bigint, sum(t.failed)::bigint,
           sum(t.retried)::bigint, sum(t.dead)::bigint, sum(t.stream_events)::bigint
    FROM (SELECT goatherd.clock(%s::bigint) AS now) n
    LEFT JOIN goatherd.throughput t
        ON t.app = %s AND t.bucket >= (n.now / 10000000 / %s - %s) * %s AND t.bucket <= n.now / 10000000
       AND (%s::text IS NULL OR t.queue = %s::text)
    GROUP BY 1, 2
"""
_BY_QUEUE = """
    SELECT t.queue, sum(t.sent)::bigint, sum(t.done)::bigint, sum(t.failed)::bigint, sum(t.retried)::bigint,
           sum(t.dead)::bigint
    FROM (SELECT goatherd.clock(%s::bigint) / 10000000 AS newest) n
    JOIN goatherd.throughput t
        ON t.app = %s AND t.bucket > n.newest - %s AND t.bucket <= n.newest AND t.queue <> ''
    GROUP BY t.queue
"""
_PRUNE = """
    WITH old AS (
        DELETE FROM goatherd.throughput WHERE ctid = ANY (ARRAY(
            SELECT o.ctid FROM goatherd.throughput o
            WHERE o.app = %s AND o.bucket <= (goatherd.clock(%s::bigint) - %s) / 10000000
            ORDER BY o.bucket LIMIT %s FOR UPDATE SKIP LOCKED
        )) RETURNING 1
    ) SELECT count(*) FROM old
"""


class PostgresProcessRecords:
    """Satisfies `ProcessRecords`."""

    def __init__(self, pool: Pool, app: str, now: Callable[[], float] | None = None) -> None:
        self._pool = pool
        self._app = app
        self._now = now

    async def report(self, report: ProcessReport, alive: float) -> None:
        state, rows = report.state, rows_of(report)
        who = (self._app, state.id, state.host, state.started, micros(alive), micros(REMEMBERED), self._time())
        told = (report.number, msgspec.json.encode(state))
        columns = [[counts[at] for _, _, counts, _ in rows] for at in range(len(COUNTS))]
        where = ([ago for ago, *_ in rows], [name for _, name, *_ in rows])
        await self._pool.run(_REPORT, (*who, *told, *where, *columns, [events for *_, events in rows]))

    async def find(self, limit: int = 1000) -> Sequence[ProcessRow]:
        found = await self._pool.run(_FIND, (self._time(), self._app, limit))
        return [
            ProcessRow(state=msgspec.json.decode(bytes(state), type=ProcessState), silent=max(0.0, silent))
            for state, silent in found
        ]

    async def leave(self, process: str) -> None:
        await self._pool.run(_LEAVE, (self._app, process))

    async def throughput(self, last: float, step: float, queue: str | None = None) -> Sequence[Sample]:
        steps = Steps.over(last, step)
        width, back = steps.width, steps.count - 1
        choice = (width, self._time(), self._app, width, back, width, queue, queue)
        rows = await self._pool.run(_BY_STEP, choice)
        return steps.samples(rows[0][0] / 1_000_000, [row[1:] for row in rows if row[1] is not None])

    async def counts(self, last: float) -> Mapping[str, Counted]:
        choice = (self._time(), self._app, Steps.over(last, BUCKET).count)
        return {name: counted_in(values) for name, *values in await self._pool.run(_BY_QUEUE, choice)}

    async def prune(self, older_than: float, limit: int) -> int:
        [[pruned]] = await self._pool.run(_PRUNE, (self._app, self._time(), micros(older_than), limit))
        return int(pruned)

    async def close(self) -> None:
        await self._pool.close()

    def _time(self) -> int | None:
        return None if self._now is None else micros(self._now())
