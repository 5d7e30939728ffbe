"""Which jobs are the only ones of their key, on SQLite."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, run, run_many
from goatherd.model.unique import UniqueAnswer, UniqueClaim
from goatherd.ports.clock import Clock

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Try again: a key that was taken all the same is free again soon."


class SqliteUniques:
    """Satisfies `Uniques`."""

    def __init__(
        self, database: Database, clock: Clock, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def take(self, claims: Sequence[UniqueClaim], sender: str, hold: float) -> Sequence[UniqueAnswer]:
        def claim_all(connection: apsw.Connection) -> list[UniqueAnswer]:
            now = self._clock.now()
            return [_taken(connection, claim, sender, now, hold) for claim in claims]

        # Whoever loses power between this and the job's own write sends it again, or does not.
        return await self._in_time(self._database.write(claim_all, durable=False))

    async def keep(self, claims: Sequence[UniqueClaim], sender: str) -> None:
        def keep_all(connection: apsw.Connection) -> None:
            now = self._clock.now()
            run_many(connection, "keep_unique", [(now + claim.seconds, claim.key, sender) for claim in claims])

        await self._in_time(self._database.write(keep_all))

    async def give_up(self, claims: Sequence[UniqueClaim], sender: str) -> None:
        await self._change("give_up_unique", [(claim.key, sender) for claim in claims])

    async def release(self, claims: Sequence[tuple[str, str]]) -> None:
        await self._change("release_unique", claims)

    async def release_job(self, job: str) -> None:
        await self._change("release_uniques_of", [(job,)])

    async def forget(self) -> None:
        row = {"now": self._clock.now()}
        await self._in_time(
            self._database.write(lambda connection: run(connection, "forget_unique", row), durable=False)
        )

    def take_statement(self, claims: Sequence[UniqueClaim]) -> None:
        return None

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _change(self, statement: str, bindings: Sequence[tuple[str, ...]]) -> None:
        def change(connection: apsw.Connection) -> None:
            run_many(connection, statement, bindings)

        # Written again by whoever ends the job once more, if it is lost.
        await self._in_time(self._database.write(change, durable=False))

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)


def _taken(connection: apsw.Connection, claim: UniqueClaim, sender: str, now: float, hold: float) -> UniqueAnswer:
    row = {"key": claim.key, "job": claim.job, "sender": sender, "until": now + hold, "now": now}
    if run(connection, "take_unique", row):
        return UniqueAnswer(state="ours", job=claim.job)
    [[job, another]] = rows(connection, "find_unique", (claim.key,))
    return UniqueAnswer(state="pending" if another else "taken", job=job)
