"""Calls that a test makes: the herd works while one waits, and none waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goatherd.errors import Unavailable
    from goatherd.ports.calls import Receipt

#: Seconds that a call waits for an answer that nobody gives, while the test's clock stands still.
PATIENCE = 10.0
#: Seconds between two looks at whether it still waits.
BREATH = 0.01


class Asked:
    """One call under way; satisfies `Receipt`."""

    def __init__(self, callers: Callers, job: str, receipt: Receipt) -> None:
        self.job = job
        self._callers = callers
        self._receipt = receipt

    def taken(self) -> None:
        self._receipt.taken()
        self._callers.work()

    def failed(self, error: Unavailable) -> None:
        self._callers.ended(self.job)
        self._receipt.failed(error)

    def give_up(self, why: AssertionError) -> None:
        """Let whoever waits for it have this error; of no effect if it has ended in another way."""
        self._receipt.failed(why)  # type: ignore[arg-type]  # an error of the test, not of the app under test


class Callers:
    """Those who wait for answers in one test."""

    def __init__(self) -> None:
        #: Works off what is due; set by the herd.
        self.drain: Callable[[], Awaitable[None]] | None = None
        #: Tells the time on the test's clock.
        self.now: Callable[[], float] = float
        self._waiting: dict[str, Asked] = {}
        self._listening = 0
        #: Jobs whose answers are on their way.
        self._answered: set[str] = set()
        self._again = False
        self._working: asyncio.Task[None] | None = None

    @property
    def on_their_way(self) -> bool:
        """Whether a call is being made, or an answer has been given and has not come yet."""
        return self._listening > 0 or bool(self._answered)

    def asked(self, job: str, receipt: Receipt) -> Asked:
        """A call is made."""
        waiting = self._waiting[job] = Asked(self, job, receipt)
        return waiting

    def listening(self, *, begun: bool) -> None:
        """A queue for answers is being made, or is there."""
        self._listening += 1 if begun else -1

    def given(self, job: str) -> None:
        """A worker has answered."""
        if job in self._waiting:
            self._answered.add(job)

    def ended(self, job: str) -> None:
        """The answer has come, or will not."""
        self._waiting.pop(job, None)
        self._answered.discard(job)

    def work(self) -> None:
        """Somebody waits, so what is due is done."""
        self._again = True
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work(), name="goatherd test works for a caller")

    async def close(self) -> None:
        """Work for nobody any more."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)

    async def _work(self) -> None:
        while self._again:
            self._again = False
            try:
                if self.drain is not None:
                    await self.drain()
                await self._wait_for_ends()
            except AssertionError as why:
                for asked in list(self._waiting.values()):
                    self.ended(asked.job)
                    asked.give_up(why)

    async def _wait_for_ends(self) -> None:
        """Return when nobody waits, or when something else happens that may bring an answer."""
        loop = asyncio.get_running_loop()
        until, now = loop.time() + PATIENCE, self.now()
        while self._waiting and not self._again:
            if self.now() != now:
                until, now = loop.time() + PATIENCE, self.now()
            if loop.time() > until:
                raise AssertionError(self._in_vain())
            await asyncio.sleep(BREATH)

    def _in_vain(self) -> str:
        return (
            f"Nobody answers {', '.join(sorted(self._waiting))}: all work is done, and the clock stands still. If "
            f"another program does this task, put a function in its place with t.fake(task, function); to see a "
            f"call time out, let the time pass with t.advance(...) while another task waits for the call."
        )
