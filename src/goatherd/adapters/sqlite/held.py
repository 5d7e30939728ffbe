"""What this process takes from one queue: how much it may hold, what it holds, and how it stands."""

from typing import Protocol

from goatherd.adapters.ledger import Ledger
from goatherd.model.listener import Standing
from goatherd.ports.broker import Deliver


class Taker(Protocol):
    """Takes from all queues of this process."""

    @property
    def trouble(self) -> str:
        """Why nothing can be taken; empty if all is well."""

    @property
    def since(self) -> float:
        """Since when that is so, or since when all is well."""

    @property
    def recoveries(self) -> int:
        """How often it went on after a trouble."""

    async def drop(self, held: "Held") -> None:
        """Take from a queue no more; waits for a claim that is under way."""

    async def resume(self, held: "Held") -> None:
        """See to it that a queue is taken from."""


class Held:
    """One subscription; satisfies `Consumption`."""

    def __init__(self, taker: Taker, queue: str, queue_id: int, prefetch: int, deliver: Deliver) -> None:
        self._taker = taker
        self.queue = queue
        self.queue_id = queue_id
        self.prefetch = prefetch
        self.deliver = deliver
        self.unsettled = 0
        #: When it began, ended and last delivered something.
        self.began = 0.0
        self.ended: float | None = None
        self.last_delivery: float | None = None
        #: How often the others had been in trouble before.
        self.recoveries_before = 0

    @property
    def standing(self) -> Standing:
        """See `Consumption.standing`."""
        taker = self._taker
        since = self.began if self.ended is None else self.ended
        condition, why = ("running" if self.ended is None else "stopped"), ""
        if self.ended is None and taker.trouble:
            condition, why, since = "down", taker.trouble, max(since, taker.since)
        return Standing(
            condition=condition,  # type: ignore[arg-type]  # it is one of these
            since=max(since, taker.since) if self.ended is None else since,
            restarts=taker.recoveries - self.recoveries_before,
            why=why,
            last_delivery=self.last_delivery,
        )

    async def restart(self) -> None:
        """See `Consumption.restart`."""
        if self.ended is None:
            await self._taker.resume(self)

    async def stop(self) -> None:
        """See `Subscription.stop`."""
        await self._taker.drop(self)


class Claim:
    """The adapter's handle of a delivery."""

    __slots__ = ("held", "ledger", "seq", "slot", "worker")

    def __init__(self, seq: int, worker: int, held: Held) -> None:
        self.seq = seq
        self.worker = worker
        self.held = held
        #: Where it is noted as running; a worker that was cleared away goes on with another ledger.
        self.ledger: Ledger | None = None
        self.slot: int | None = None
