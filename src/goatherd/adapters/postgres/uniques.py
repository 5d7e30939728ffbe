"""Which jobs are the only ones of their key, on PostgreSQL."""

from collections.abc import Callable, Sequence

from goatherd.adapters.postgres.lane_arrays import micros
from goatherd.adapters.postgres.pool import Pool
from goatherd.model.statement import Statement
from goatherd.model.unique import UniqueAnswer, UniqueClaim

#: Without `::`, which not every library of the users takes for what it is.
_TAKE = """
    SELECT states, jobs FROM goatherd.unique_take(
        CAST(%s AS text[]), CAST(%s AS text[]), CAST(%s AS bigint[]), CAST(%s AS text), CAST(%s AS bigint))
"""
_KEEP = """
    UPDATE goatherd.unique_key u SET sender = '', until = goatherd.clock(%s::bigint) + told.span
    FROM unnest(%s::text[], %s::bigint[]) AS told (key, span) WHERE u.key = told.key AND u.sender = %s
"""
_GIVE_UP = "DELETE FROM goatherd.unique_key WHERE key = ANY (%s::text[]) AND sender = %s"
_RELEASE = """
    DELETE FROM goatherd.unique_key u USING unnest(%s::text[], %s::text[]) AS told (key, job)
    WHERE u.key = told.key AND u.job = told.job
"""
_FORGET = "SELECT goatherd.unique_forget(%s::bigint)"
_RELEASE_JOB = "DELETE FROM goatherd.unique_key WHERE job = %s"


class PostgresUniques:
    """Satisfies `Uniques`."""

    def __init__(self, pool: Pool, now: Callable[[], float] | None = None) -> None:
        self._pool = pool
        self._now = now

    async def take(self, claims: Sequence[UniqueClaim], sender: str, hold: float) -> Sequence[UniqueAnswer]:
        keys, jobs = [claim.key for claim in claims], [claim.job for claim in claims]
        parameters = (keys, jobs, [micros(hold)] * len(claims), sender, self._time())
        [[states, whose]] = await self._pool.run(_TAKE, parameters)
        return [UniqueAnswer(state=state, job=job) for state, job in zip(states or (), whose or (), strict=True)]

    async def keep(self, claims: Sequence[UniqueClaim], sender: str) -> None:
        keys, spans = [claim.key for claim in claims], [micros(claim.seconds) for claim in claims]
        await self._pool.run(_KEEP, (self._time(), keys, spans, sender))

    async def give_up(self, claims: Sequence[UniqueClaim], sender: str) -> None:
        await self._pool.run(_GIVE_UP, ([claim.key for claim in claims], sender))

    async def release(self, claims: Sequence[tuple[str, str]]) -> None:
        await self._pool.run(_RELEASE, ([key for key, _ in claims], [job for _, job in claims]))

    async def release_job(self, job: str) -> None:
        await self._pool.run(_RELEASE_JOB, (job,))

    async def forget(self) -> None:
        await self._pool.run(_FORGET, (self._time(),))

    def take_statement(self, claims: Sequence[UniqueClaim]) -> Statement:
        keys, jobs = [claim.key for claim in claims], [claim.job for claim in claims]
        return Statement(_TAKE, (keys, jobs, [micros(claim.seconds) for claim in claims], "", self._time()))

    async def close(self) -> None:
        await self._pool.close()

    def _time(self) -> int | None:
        return None if self._now is None else micros(self._now())
