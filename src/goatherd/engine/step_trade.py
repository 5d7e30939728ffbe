"""Trade with the records of pipelines: what is settled and decided against what is claimed, one exchange at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from goatherd.engine.insistence import LONGEST_PAUSE, Insistence
from goatherd.errors import Unavailable
from goatherd.model.run_record import (
    Decision,
    NoClaim,
    Succeed,
    UnitClaim,
    UnitExchange,
    UnitExchanged,
    UnitKey,
    UnitSettlement,
)
from goatherd.ports.steps import Steps

#: Settlements and claims in one exchange at most.
BATCH = 500

log = logging.getLogger("goatherd.pipelines")

_Settled = tuple[UnitSettlement, "asyncio.Future[bool]"]
_Decided = tuple[Decision, "asyncio.Future[bool]"]
Answer = UnitClaim | NoClaim
T = TypeVar("T")


class Customer(Protocol):
    """On whose behalf is traded."""

    def wishes(self) -> Sequence[UnitKey]:
        """Units that are wanted now, each once; they are asked for, and then taken."""

    async def take(self, wanted: Sequence[UnitKey], answers: Sequence[Answer], until: float) -> None:
        """One answer for each; the leases end at that time of the loop's clock. May wait for the records."""

    def moved(self, answer: UnitExchanged) -> None:
        """Something has moved on: steps, or whole runs."""


class StepTrade:
    """The exchanges of one worker or conductor. One whose answer was lost is repeated under its number."""

    def __init__(self, steps: Steps, worker: str, lease: float, customer: Customer) -> None:
        self._steps = steps
        self._worker = worker
        self._lease = lease
        self._customer = customer
        self._number = 0
        self._settled: list[_Settled] = []
        self._decided: list[_Decided] = []
        #: What the records have not been told, or have not confirmed.
        self.untold = 0
        self.busy = False
        self._needed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._insistence = Insistence("The records of pipelines", log)

    def start(self) -> None:
        """Begin to trade."""
        self._task = asyncio.create_task(self._run(), name="goatherd pipelines")

    def wake(self) -> None:
        """Something may be wanted."""
        self._needed.set()

    def settle(self, settlement: UnitSettlement) -> "asyncio.Future[bool]":
        """Tell the records; the future says whether it was still ours, or raises Unavailable if they cannot be told."""
        return self._accept(self._settled, settlement)

    def decide(self, decision: Decision) -> "asyncio.Future[bool]":
        """The same for what nobody has."""
        return self._accept(self._decided, decision)

    async def insist(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask the records for something else, in the same patience; raises Unavailable only when stopping."""
        return await self._insistence.until_answered(ask)

    async def stop(self, deadline: float) -> None:
        """Tell the records what is settled, as well as can be in that time, and end."""
        self._insistence.stopping = True
        self._needed.set()
        task, self._task = self._task, None
        if task is not None:
            _, late = await asyncio.wait([task], timeout=deadline)
            if late:
                log.warning("Records could not be told what became of %d units in time", self.untold)
                task.cancel()
                await asyncio.wait([task], timeout=1.0)
        ended = Unavailable("The worker ended before the records could be told.")
        for _, done in (*self._settled, *self._decided):
            _fail(done, ended)

    def _accept(self, waiting: list, what: object) -> "asyncio.Future[bool]":  # type: ignore[type-arg]  # of either kind
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        done.add_done_callback(self._told)
        waiting.append((what, done))
        self.untold += 1
        self._needed.set()
        return done

    async def _run(self) -> None:
        while True:
            if not (self._settled or self._decided or self._insistence.stopping):
                self.busy = False
                await self._needed.wait()
            self.busy = True
            self._needed.clear()
            wanted = () if self._insistence.stopping else self._customer.wishes()
            if not (self._settled or self._decided or wanted):
                if self._insistence.stopping:
                    return
                continue
            try:
                await self._trade(wanted)
            except Exception:
                # Whatever it was, pipelines must go on; what was to be settled is claimed again when its lease ends.
                log.exception("Pipelines could not be worked on; this is a fault of Goatherd")
                await asyncio.sleep(LONGEST_PAUSE)
                self.wake()

    async def _trade(self, wanted: Sequence[UnitKey]) -> None:
        settled, self._settled = self._settled[:BATCH], self._settled[BATCH:]
        decided, self._decided = self._decided[:BATCH], self._decided[BATCH:]
        self._number += 1
        exchange = UnitExchange(
            worker=self._worker,
            number=self._number,
            settled=[settlement for settlement, _ in settled],
            decided=[decision for decision, _ in decided],
            wanted=wanted,
            lease=self._lease,
        )
        until = asyncio.get_running_loop().time() + self._lease
        try:
            answer = await self._insistence.until_answered(lambda: self._steps.exchange(exchange))
        except BaseException as error:
            # Whoever waits for it would wait for ever.
            told = error if isinstance(error, Unavailable) else Unavailable(f"Records could not be told: {error!r}")
            for _, done in (*settled, *decided):
                _fail(done, told)
            if isinstance(error, Unavailable):
                return
            raise
        _tell(settled, decided, answer)
        self._customer.moved(answer)
        if wanted:
            await self._customer.take(wanted, answer.claims, until)

    def _told(self, _done: "asyncio.Future[bool]") -> None:
        self.untold -= 1


def _tell(settled: Sequence[_Settled], decided: Sequence[_Decided], answer: UnitExchanged) -> None:
    for (settlement, done), ours in zip(settled, answer.settled, strict=True):
        if not ours and isinstance(settlement, Succeed):
            log.warning("%s was done when it was with others, so its result is not used", settlement.hold.key)
        if not done.done():
            done.set_result(ours)
    for (_, done), made in zip(decided, answer.decided, strict=True):
        if not done.done():
            done.set_result(made)


def _fail(done: "asyncio.Future[bool]", error: Unavailable) -> None:
    if not done.done():
        done.set_exception(error)
        done.exception()
