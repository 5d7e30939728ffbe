"""Lanes in the test's hand: what they are asked is seen, and answered, refused or left alone as the test likes."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from goatherd.errors import Unavailable
from goatherd.model.lane import (
    Claim,
    Exchange,
    Exchanged,
    Hold,
    LaneItem,
    LaneLetter,
    Placement,
    packed,
)
from goatherd.model.message import LANE, Message
from goatherd.model.statement import InLane, IntoLane
from goatherd.ports.lanes import WakeUp
from tests.unit.engine.stage import Notes

AWAY = Unavailable("the store is away")


class HandLanes:
    """Satisfies `Lanes`. Each call takes the next of what was planned for it, and is fine when nothing was."""

    def __init__(self) -> None:
        self.notes = Notes()
        self.enqueued: list[tuple[str, int, list[str]]] = []
        self.exchanges: list[Exchange] = []
        self.beats: list[list[Hold]] = []
        #: The lease that each of them asked for.
        self.leases: list[float] = []
        self.wake: WakeUp = lambda: None
        #: Errors, answers, or events to wait for, in the order in which they are met.
        self.planned: dict[str, list[Any]] = {"enqueue": [], "exchange": [], "beat": []}
        #: Heads that the next exchanges may have.
        self.ready: list[Claim] = []
        #: Holds that others have now.
        self.gone: set[Hold] = set()
        self.next_due: float | None = None
        self.waiting_letters = False
        self.watched: list[Sequence[str]] = []
        self.full: set[str] = set()

    async def enqueue(self, sender: str, number: int, items: Sequence[LaneItem]) -> Sequence[Placement]:
        self.enqueued.append((sender, number, [item.id for item in items]))
        self.notes("enqueued")
        await self._meet("enqueue")
        return [Placement(answer="full" if item.lane in self.full else "placed") for item in items]

    async def exchange(self, exchange: Exchange) -> Exchanged:
        self.exchanges.append(exchange)
        self.notes("exchanged")
        await self._meet("exchange")
        claims, self.ready = self.ready[: exchange.wanted], self.ready[exchange.wanted :]
        return Exchanged(
            settled=[settlement.hold not in self.gone for settlement in exchange.settled],
            claims=claims,
            next_due=self.next_due,
            letters=self.waiting_letters,
        )

    async def beat(self, holds: Sequence[Hold], lease: float) -> Sequence[bool]:
        self.beats.append(list(holds))
        self.leases.append(lease)
        self.notes("beaten")
        await self._meet("beat")
        return [hold not in self.gone for hold in holds]

    async def watch(self, queues: Sequence[str], wake: WakeUp) -> "HandLanes":
        self.watched.append(queues)
        self.wake = wake
        return self

    async def stop(self) -> None:
        self.notes("unwatched")

    async def letters(self, limit: int) -> Sequence[LaneLetter]:
        return ()

    async def remove_letters(self, ids: Sequence[str]) -> None:
        self.notes("letters removed")

    def within(self, hold: Hold) -> InLane | None:
        return None

    def entry_within(self, items: Sequence[LaneItem]) -> IntoLane | None:
        return None

    def ring(self, queues: Sequence[str]) -> None:
        self.notes("rung")

    async def close(self) -> None:
        self.notes("closed")

    # --- what the test does -----------------------------------------------------------------------

    def plan(self, what: str, *outcomes: Any) -> None:
        """What the next calls meet: an error to raise, an event to wait for, or None to be fine."""
        self.planned[what] += outcomes

    def offer(self, *claims: Claim) -> None:
        """Let lanes be ready, and tell the worker."""
        self.ready += claims
        self.wake()

    def settled(self) -> list[Any]:
        """All that was settled, in order; an exchange that was repeated counts once."""
        by_number = {exchange.number: exchange for exchange in self.exchanges}
        return [settlement for exchange in by_number.values() for settlement in exchange.settled]

    async def _meet(self, what: str) -> None:
        planned = self.planned[what].pop(0) if self.planned[what] else None
        if isinstance(planned, asyncio.Event):
            await planned.wait()
        elif isinstance(planned, Exception):
            raise planned
        elif callable(planned):
            act: Callable[[], None] = planned
            act()


def item(job: str, lane: str = "comments/post_id=1", **said: Any) -> LaneItem:
    """A job on its way into a lane."""
    return LaneItem(**{"id": job, "lane": lane, "queue": "comments", "content": b"", **said})


def claim(job: str, lane: str = "comments/post_id=1", *, token: int = 1, seq: int = 1, **said: Any) -> Claim:
    """The head of a lane."""
    message = Message(id=job, queue="comments", body=b"{}", task="comment", headers={LANE: lane})
    facts = {"content": packed(message), "queue": "comments", "on_exhausted": "hold", "accepted": 1.0}
    return Claim(**{"lane": lane, "token": token, "seq": seq, "id": job, **facts, **said})
