"""A broker on which programs publish between any two steps, and whose user can die after any of them."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from goatherd.ports.plumbing import Moved
from tests.plumbing_in_memory import MemoryPlumbing
from tests.routing_in_memory import route


class Killed(BaseException):
    """As after `kill -9`: nothing is tidied up."""


class Publisher:
    """Publishes as ours do: what was not taken is sent again until it is."""

    def __init__(self, broker: MemoryPlumbing, exchange: str, key: str) -> None:
        self._broker = broker
        self._exchange, self._key = exchange, key
        self._numbers = itertools.count()
        self._unsent: list[bytes] = []
        #: What the broker has accepted, and for which queues.
        self.taken: dict[bytes, set[str]] = {}

    def publish(self, count: int = 1) -> None:
        """Some more, and what is left of those before."""
        place = f"{self._exchange}/{self._key}"
        self._unsent += [f"{place} {next(self._numbers)}".encode() for _ in range(count)]
        self._unsent = [body for body in self._unsent if not self._sent(body)]

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to send."""
        return not self._unsent

    def _sent(self, body: bytes) -> bool:
        if self._broker.find_exchange(self._exchange) is None:
            return False
        goals = route(self._broker, self._exchange, self._key, {})
        accepted = self._broker.publish(self._exchange, self._key, body)
        if accepted:
            self.taken[body] = {goal.removesuffix(".swap.v1") for goal in goals}
        return accepted


class HardLife:
    """Satisfies Plumbing: before each step everybody publishes; after the last that is allowed, death comes."""

    def __init__(self, broker: MemoryPlumbing, publishers: list[Publisher], dies_after: int | None = None) -> None:
        self._broker = broker
        self._publishers = publishers
        self._dies_after = dies_after
        #: Steps so far.
        self.steps = 0

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        step = getattr(self._broker, name)

        async def do(*arguments: Any, **options: Any) -> Any:
            for each in self._publishers:
                each.publish()
            done = await step(*arguments, **options)
            self._count()
            return done

        return do

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """The lock of one that dies is gone with it."""
        async with self._broker.alone():
            yield

    async def move(self, source: str, to: str, moved: Moved) -> None:
        """Death may come in the middle of it, too, when a message is in both."""
        letters = self._broker.letters
        if letters[source] and self._dies_after == self.steps:
            letters[to].append(letters[source][0])
            self._count()
        await self._broker.move(source, to, moved)
        for each in self._publishers:
            each.publish()
        self._count()

    def _count(self) -> None:
        self.steps += 1
        if self._dies_after is not None and self.steps > self._dies_after:
            raise Killed


def lost(broker: MemoryPlumbing, publishers: Iterable[Publisher]) -> list[tuple[str, bytes]]:
    """What was accepted for a queue and is not there any more; a queue that is not there has lost all."""
    waiting = {name: set(broker.waiting(name)) for name in broker.queues}
    return [
        (goal, body)
        for each in publishers
        for body, goals in each.taken.items()
        for goal in sorted(goals)
        if body not in waiting.get(goal, ())
    ]
