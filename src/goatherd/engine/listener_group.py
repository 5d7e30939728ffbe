"""The listeners of one task, made to be what its source wants."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from goatherd.engine.catalogue import Catalogue
from goatherd.engine.name_source import Listened
from goatherd.engine.queue_listener import QueueListener
from goatherd.engine.wanted_names import WantedNames
from goatherd.errors import GoatherdError
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue
from goatherd.ports.broker import Broker, Deliver
from goatherd.ports.clock import Clock

#: Queues that are declared, begun or ended in one go.
BATCH = 100
#: Jobs that one of very many listeners holds.
FEW = 4

_T = TypeVar("_T")

log = logging.getLogger("goatherd.listeners")


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What listeners stand between."""

    broker: Broker
    clock: Clock
    catalogue: Catalogue
    #: Takes what comes.
    deliver: Deliver
    #: Jobs that the worker holds from an ordinary queue.
    held: int
    #: A queue as the app wants it.
    contract: Callable[[TaskDefinition], Queue]
    #: Why a task may not take from its queue; None if it may.
    objection: Callable[[TaskDefinition], str | None]


class ListenerGroup:
    """Those of one pattern in one worker."""

    def __init__(self, listened: Listened, around: Surroundings, changed: Callable[[], None]) -> None:
        self.pattern = listened.pattern
        self._around = around
        self.names = WantedNames(listened, changed)
        self.listeners: dict[str, QueueListener] = {}
        #: How often those that have ended had been started again.
        self.restarts = 0

    @property
    def next_try(self) -> float | None:
        """When the first of those that do not run is tried again, on the loop's clock."""
        waiting = (one.try_at for one in self.listeners.values() if one.consumption is None)
        return min(waiting, default=None)

    async def reconcile(self) -> None:
        """Begin what is wanted and end what is not, as far as that can be done now."""
        wanted = self.names.queues
        if wanted is None:
            return
        await self._end([one for queue, one in self.listeners.items() if queue not in wanted])
        now = asyncio.get_running_loop().time()
        for queue, task in wanted.items():
            if queue not in self.listeners:
                self.listeners[queue] = QueueListener(task, self._around.clock)
        due = [one for one in self.listeners.values() if one.consumption is None and one.try_at <= now]
        for batch in batches(due):
            await self._begin(batch)

    async def stop(self) -> None:
        """End all of them."""
        await self.names.stop()
        await self._end(list(self.listeners.values()))

    async def _end(self, listeners: Iterable[QueueListener]) -> None:
        for batch in batches(list(listeners)):
            restarts = sum(one.standing.restarts for one in batch)
            await _all((one.stop() for one in batch), "A listener could not be told that no more is taken")
            # Only now, so that those whose end is interrupted are ended again by whoever interrupts it.
            for one in batch:
                del self.listeners[one.queue]
                self._around.catalogue.forget(one.queue)
            self.restarts += restarts

    async def _begin(self, listeners: Sequence[QueueListener]) -> None:
        """Have the queues and consume from them; one that is at fault harms no other."""
        allowed = [one for one in listeners if self._is_allowed(one)]
        try:
            await self._around.broker.declare([self._around.contract(one.task) for one in allowed])
        except GoatherdError as error:
            if len(allowed) == 1 or self._around.broker.state != "up":
                for one in allowed:
                    one.failed(str(error))
                return
            for one in allowed:
                await self._begin([one])
            return
        await _all((self._consume(one) for one in allowed), "A listener could not be started")

    async def _consume(self, one: QueueListener) -> None:
        around = self._around
        around.catalogue.listen(one.task)
        try:
            one.begun(await around.broker.consume(one.queue, self._prefetch(), around.deliver, shared=True))
        except GoatherdError as error:
            around.catalogue.forget(one.queue)
            one.failed(str(error))

    def _is_allowed(self, one: QueueListener) -> bool:
        objection = self._around.objection(one.task)
        if objection is not None:
            one.refused(objection)
        return objection is None

    def _prefetch(self) -> int:
        """As many as an ordinary queue has, if there are few of them; thousands share what a worker can hold."""
        held = self._around.held
        return min(held, max(FEW, FEW * held // max(1, len(self.listeners))))


async def _all(doings: Iterable[Awaitable[None]], told: str) -> None:
    for outcome in await asyncio.gather(*doings, return_exceptions=True):
        if isinstance(outcome, Exception):
            log.error("%s; this is a fault of Goatherd", told, exc_info=outcome)
        elif isinstance(outcome, BaseException):
            raise outcome


def batches(of: Sequence[_T]) -> Iterator[Sequence[_T]]:
    """The same in parts that are small enough."""
    for start in range(0, len(of), BATCH):
        yield of[start : start + BATCH]
