"""A worker's side of lanes that are in the test's hand."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from goatherd.engine.lane_source import LaneHabits, LaneSource
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import Claim
from goatherd.model.message import Delivery
from tests.unit.engine.hand_lanes import HandLanes, claim
from tests.unit.engine.stage import HandClock, Notes


class Desk:
    """A worker that takes deliveries and does what the test says."""

    def __init__(self) -> None:
        self.lanes = HandLanes()
        self.clock = HandClock()
        self.notes = Notes()
        self.slots = 4
        self.running: set[str] = set()
        self.deliveries: list[Delivery] = []
        self.lost: list[str] = []
        self.paused: frozenset[str] | Exception = frozenset()
        self.letters: Callable[[], None] = lambda: None
        self.held_up: asyncio.Event | None = None
        habits = LaneHabits(
            worker="w1",
            queues=["comments", "likes"],
            lease=60.0,
            paused=self._look_at_pauses,
            carry_letters=self._carry,
        )
        self.source = LaneSource(self.lanes, self.clock, habits)

    async def open(self) -> None:
        await self.source.start(self._deliver, lambda: self.slots - len(self.running), self._lose)

    async def has(self, count: int) -> list[Delivery]:
        await self.notes.saw("delivered", count)
        return self.deliveries

    def begin(self, delivery: Delivery) -> None:
        self.running.add(delivery.message.id)
        self.source.begin(delivery)

    def end(self, delivery: Delivery) -> None:
        self.source.end(delivery)

    def leave(self, delivery: Delivery) -> None:
        """Its place is free again."""
        self.running.discard(delivery.message.id)
        self.source.nudge()

    def _deliver(self, deliveries: Sequence[Delivery]) -> None:
        self.deliveries += deliveries
        for _ in deliveries:
            self.notes("delivered")

    def _lose(self, delivery: Delivery) -> None:
        self.lost.append(delivery.message.id)
        self.notes("lost")

    async def _look_at_pauses(self) -> frozenset[str]:
        if isinstance(self.paused, Exception):
            raise self.paused
        return self.paused

    async def _carry(self) -> None:
        self.notes("carried")
        self.letters()
        if self.held_up is not None:
            await self.held_up.wait()


def heads(count: int, **said: Any) -> list[Claim]:
    return [claim(f"job {number}", f"comments/post_id={number}", **said) for number in range(count)]


def burial(reason: Any = "failed") -> Burial:
    return Burial(reason=reason, error_type="ValueError", message="no", attempts=1, failed_at=1.0)


async def settled_down() -> None:
    """Let everything that is under way go as far as it can."""
    for _ in range(20):
        await asyncio.sleep(0)
