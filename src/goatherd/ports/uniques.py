"""Which jobs are the only ones of their key."""

from collections.abc import Sequence
from typing import Protocol

from goatherd.model.statement import Statement
from goatherd.model.unique import UniqueAnswer, UniqueClaim


class Uniques(Protocol):
    """Keeps, for each key, the job that has it; every adapter passes `goatherd.testing.suites.UniquesSuite`.

    Used from one event loop. Every method has a deadline and raises `Unavailable`; all may be repeated. Time is the
    store's own. A key is had in two steps, so that nobody is told of a job that was never sent: whoever dies between
    them has it for a moment only.

    1. `take`: the sender has the key for as long as sending may last. Others who want it wait.
    2. `keep` when the job is sent, `give_up` when it is not.

    Whoever takes keys lets the store forget others now and then.
    """

    async def take(self, claims: Sequence[UniqueClaim], sender: str, hold: float) -> Sequence[UniqueAnswer]:
        """Claim keys, of which no two are equal, for the time of sending: `hold` seconds.

        `sender` is one call of a verb; if it asks again because no answer came, the keys are still its own.
        """

    async def keep(self, claims: Sequence[UniqueClaim], sender: str) -> None:
        """They are sent: each key is its job's for the claim's seconds. Those that are free again stay so."""

    async def give_up(self, claims: Sequence[UniqueClaim], sender: str) -> None:
        """They are not sent: their keys are free, unless they are another sender's by now."""

    async def release(self, claims: Sequence[tuple[str, str]]) -> None:
        """Jobs that have ended let go of their keys (key and job); a key that is another job's stays."""

    async def release_job(self, job: str) -> None:
        """A job has ended of which it is not known whether it has keys."""

    async def forget(self) -> None:
        """Forget some keys whose time is over: at least 20, if there are so many."""

    def take_statement(self, claims: Sequence[UniqueClaim]) -> Statement | None:
        """Takes and keeps keys inside a transaction of the user's own.

        Gives one row with two lists, the answers' states and jobs, in the order of the claims. None where that cannot
        be: the store is no database that a user could be connected to.
        """

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
