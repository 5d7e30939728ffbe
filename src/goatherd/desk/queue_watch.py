"""The queues of an app from one look to the next: how fast they fill, and how old what waits is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from goatherd.desk.glance import Glance
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.flow import Changes, Flow
from goatherd.model.head_age import HeadAge, Inflow
from goatherd.model.topology import QueueState
from goatherd.wiring.flows import flows_of

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Seconds for which a look at the queues is good enough, and one at what the broker counts beside it.
FRESH_FOR, COUNTS_FRESH_FOR = 1.0, 2.0
#: Seconds that the broker may take to tell what it counts; without it the rest is shown. If it did not, it is not asked
#: again for so many seconds.
COUNTS_DEADLINE, SILENT_FOR = 1.0, 30.0
#: Queues of listeners that are looked at: each is asked for by name, and thousands would cost more than they show.
MOST_LISTENED = 200

log = logging.getLogger("goatherd.desk")

T = TypeVar("T")


class QueueWatch:
    """Of one open app; kept beside its session."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._changes = Changes()
        self._ages: dict[str, HeadAge] = {}
        ports = app.session().ports
        flows = flows_of(app.settings)
        self._flows = None if flows is None else Glance(self._counted(flows, "rates"), COUNTS_FRESH_FOR)
        inflows = None if ports.inflow is None else ports.inflow.inflows
        self._inflows = None if inflows is None else Glance(self._counted(inflows, "ages"), COUNTS_FRESH_FOR)
        #: What the broker did not tell, and when it is asked again.
        self._silent: dict[str, float] = {}
        self.states = Glance(self._look, FRESH_FOR)

    async def close(self) -> None:
        """Nothing is held."""

    def growing(self, queue: str) -> float | None:
        """By how many ready jobs a second it grows; None before the second look."""
        return self._changes.per_second(queue)

    async def flow(self) -> Mapping[str, Flow]:
        """What comes and goes, by queue, where the broker counts it."""
        return {} if self._flows is None else await self._flows.get()

    async def _look(self) -> Sequence[QueueState]:
        also, _ = await listened_queues(self._app, MOST_LISTENED)
        states = await self._app.session().ports.operations.queues(also)
        now = asyncio.get_running_loop().time()
        self._changes.look(now, {state.name: state.ready for state in states})
        return await self._with_ages(states)

    async def _with_ages(self, states: Sequence[QueueState]) -> Sequence[QueueState]:
        if self._inflows is None:
            return states
        inflows: Mapping[str, Inflow] = await self._inflows.get()
        now = asyncio.get_running_loop().time()
        self._ages = {name: self._ages.get(name) or HeadAge() for name in inflows}
        ages = {name: self._ages[name].note(inflow, now) for name, inflow in inflows.items()}
        return [
            replace(state, oldest_age=ages.get(state.name)) if state.ready and state.oldest_age is None else state
            for state in states
        ]

    def _counted(
        self, ask: Callable[[], Awaitable[Mapping[str, T]]], what: str
    ) -> Callable[[], Awaitable[Mapping[str, T]]]:
        """Asks, and gives nothing where there is no answer: that is no reason not to show the queues."""

        async def look() -> Mapping[str, T]:
            now = asyncio.get_running_loop().time()
            if now < self._silent.get(what, now):
                return {}
            try:
                async with asyncio.timeout(COUNTS_DEADLINE):
                    counted = await ask()
            except (Unavailable, SettingsError, TimeoutError) as error:
                if what not in self._silent:
                    why = str(error) or f"there was no answer within {COUNTS_DEADLINE:g} s"
                    log.info("The broker does not tell the %s of queues: %s", what, why)
                self._silent[what] = now + SILENT_FOR
                return {}
            self._silent.pop(what, None)
            return counted

        return look


async def listened_queues(app: Goatherd, limit: int) -> tuple[Sequence[str], Unavailable | None]:
    """The queues to which workers listen now because data wants it, and why they are not known."""
    if not app.listener_book.listened():
        return (), None
    try:
        records = await app.session().recurring.listeners()
        return sorted({row.queue for row in await records.find(limit=limit)}), None
    except Unavailable as error:
        return (), error
