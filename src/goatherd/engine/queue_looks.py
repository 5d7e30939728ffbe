"""What metrics tell of queues: those of listeners by their pattern, and how long there was a backlog."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from goatherd.errors import SettingsError, Unavailable
from goatherd.model.head_age import HeadAges, Inflow
from goatherd.model.label_limit import limited
from goatherd.model.topology import QueueState
from goatherd.ports.broker import QueueOperations
from goatherd.ports.dead_letters import DeadLetters
from goatherd.ports.inflow import QueueInflow

#: Seconds that a broker may take to tell how much came into its queues.
INFLOW_DEADLINE = 2.0

log = logging.getLogger("goatherd.metrics")


class QueueLooks:
    """Looks at the queues of one app."""

    def __init__(
        self,
        operations: QueueOperations,
        named: Callable[[str], str],
        also: Callable[[], Awaitable[Sequence[str]]],
        inflow: QueueInflow | None = None,
    ) -> None:
        """`named` gives the name under which a queue is told; `also` are queues that a broker tells only if asked.

        Where the broker does not tell the age of what waits, it is worked out from the `inflow`.
        """
        self._operations = operations
        self._named = named
        self._also = also
        self._inflow = inflow
        self._ages = HeadAges()
        self._inflow_is_told = True
        #: When a queue was first seen with ready jobs since it was last seen without.
        self._since: dict[str, float] = {}

    async def look(self) -> Mapping[str, Any]:
        """The queues as they stand now; raises Unavailable."""
        found = await self._operations.queues(await self._also())
        states = together(await self._with_ages(found), self._named)
        now = asyncio.get_running_loop().time()
        self._since = {state.name: self._since.get(state.name, now) for state in states if state.ready}
        backlog = {state.name: now - self._since.get(state.name, now) for state in states}
        return {"queues": states, "backlog": backlog}

    async def _with_ages(self, states: Sequence[QueueState]) -> Sequence[QueueState]:
        inflows = await self._inflows()
        if inflows is None:
            return states
        self._ages.note(inflows, asyncio.get_running_loop().time())
        return [self._ages.of(state) for state in states]

    async def _inflows(self) -> Mapping[str, Inflow] | None:
        """None where it is not told, which is no reason not to tell the rest."""
        if self._inflow is None:
            return None
        try:
            async with asyncio.timeout(INFLOW_DEADLINE):
                inflows = await self._inflow.inflows()
        except (Unavailable, SettingsError, TimeoutError) as error:
            if self._inflow_is_told:
                why = str(error) or f"there was no answer within {INFLOW_DEADLINE:g} s"
                log.info("How old jobs are that wait is not known: %s", why)
            self._inflow_is_told = False
            return None
        self._inflow_is_told = True
        return inflows


def together(states: Iterable[QueueState], named: Callable[[str], str]) -> list[QueueState]:
    """States by the names under which they are told, at most so many as labels may have values."""
    found: dict[str, QueueState] = {}
    for state in states:
        name = named(state.name)
        here = replace(state, name=name)
        found[name] = _joined(found[name], here) if name in found else here
    return [replace(state, name=name) for name, state in limited(found, _joined).items()]


def _joined(one: QueueState, other: QueueState) -> QueueState:
    ages = [age for age in (one.oldest_age, other.oldest_age) if age is not None]
    return replace(
        one,
        ready=one.ready + other.ready,
        delayed=_sum(one.delayed, other.delayed),
        running=_sum(one.running, other.running),
        consumers=one.consumers + other.consumers,
        oldest_age=max(ages, default=None),
        dead=_sum(one.dead, other.dead),
        paused=one.paused and other.paused,
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def letter_look(dead_letters: DeadLetters) -> Callable[[], Awaitable[Mapping[str, Any]]]:
    """How many dead letters there are."""

    async def look() -> Mapping[str, Any]:
        return {"dead_letters": await dead_letters.count()}

    return look
