"""The router: takes what happens to all tracked jobs, writes their history, and tells watchers on another server."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from goatherd.engine.probes import Question
from goatherd.engine.projection import Projector
from goatherd.engine.relaying import Relaying
from goatherd.errors import Unavailable
from goatherd.model.routing import RouterReadings
from goatherd.ports.clock import Clock
from goatherd.ports.events import Events
from goatherd.ports.feed import Fed, Feed, Lag
from goatherd.ports.records import JobHistory
from goatherd.ports.relay import Relay

#: Seconds between two looks for what others left undone, at how far behind we are, and for history to be dropped.
RECLAIM_EVERY, LAG_EVERY, DROP_EVERY = 60.0, 5.0, 60.0
#: Jobs of the history that are dropped at a time.
DROPPED_AT_ONCE = 500
#: Seconds between two tries: the first and the longest.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 5.0

log = logging.getLogger("goatherd.router")


@dataclass(frozen=True, kw_only=True)
class RouterPorts:
    """What a router stands on."""

    feed: Feed
    events: Events
    history: JobHistory
    #: None if watchers are called by the server of the events.
    relay: Relay | None
    #: Closes all of them. Idempotent.
    close: Callable[[], Awaitable[None]]


class RouterManners(msgspec.Struct, frozen=True, kw_only=True):
    """How it takes events, and how long it remembers jobs; see the settings of the same names."""

    batch: int = 100
    block: float = 5.0
    reclaim_idle: float = 300.0
    history_days: float = 7.0
    history_jobs: int = 1_000_000


class Router:
    """One of the routers of an app; as many as you like may run."""

    def __init__(self, ports: RouterPorts, clock: Clock, manners: RouterManners) -> None:
        self._ports = ports
        self._clock = clock
        self._manners = manners
        self._projector = Projector(ports.events, ports.history)
        self._relaying = None if ports.relay is None else Relaying(ports.relay)
        #: Events that were taken and are not done with.
        self._batch: Sequence[Fed] = ()
        self._reclaimed = self._vanished = 0
        self._lag = Lag()
        self._next_reclaim = self._next_lag = 0.0
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Route until `stop`; whatever store is away, it is waited for."""
        loops: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
            "goatherd router": self._route,
            "goatherd router history": self._drop_old_history,
        }
        self._tasks = [asyncio.create_task(loop(), name=name) for name, loop in loops.items()]

    async def stop(self) -> None:
        """Leave the rest to other routers, or to the next one, and close the ports. Idempotent."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        # What was under way is taken up again by whoever comes next: it can be done twice.
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._ports.close()

    def readings(self) -> RouterReadings:
        """All counts as they stand."""
        relaying = self._relaying
        return RouterReadings(
            noted=self._projector.noted,
            unreadable=self._projector.unreadable,
            relayed=relaying.relayed if relaying else 0,
            unrelayed=relaying.unrelayed if relaying else 0,
            reclaimed=self._reclaimed,
            vanished=self._vanished,
            dropped=self._lag.dropped,
            waiting=self._lag.waiting,
            behind=self._lag.seconds,
            unsettled=self._lag.unsettled,
        )

    @property
    def cannot_relay(self) -> bool:
        """Whether the server that calls watchers is away."""
        return self._relaying is not None and self._relaying.away

    def questions(self) -> Sequence[Question]:
        """What shows whether its stores answer."""
        return [
            Question(port="events", about="feed", ask=self._ports.feed.lag),
            Question(port="records", about="history", ask=partial(self._ports.history.find, "")),
        ]

    async def _route(self) -> None:
        failures = 0
        while True:
            try:
                await self._round()
            except Exception as error:  # noqa: BLE001 - whatever one round meets, the next must be tried
                self._tell_of(error, failures)
                await _pause(failures)
                failures += 1
            else:
                if failures:
                    log.warning("Events are routed again")
                failures = 0

    def _tell_of(self, error: Exception, failures: int) -> None:
        if not isinstance(error, Unavailable):
            log.error("Routing met something unforeseen and is tried again: %s", error, exc_info=error)
        elif not failures:
            log.warning("Events are not routed for now: %s", error)

    async def _round(self) -> None:
        """Take some events and be done with them; those of a round that failed come first."""
        if not self._batch:
            await self._look_at_lag()
            self._batch = await self._reclaim() or await self._ports.feed.take(self._manners.batch, self._manners.block)
        if self._relaying is not None:
            await self._relaying.tell(self._batch)
        if self._batch:
            await self._finish(self._batch)
            self._batch = ()

    async def _finish(self, batch: Sequence[Fed]) -> None:
        try:
            dead = await self._projector.project(batch)
        except Unavailable:
            raise
        except Exception:
            if len(batch) == 1:
                # Nobody can do anything with it, and all others would have to wait behind it.
                log.exception("Event %s of job %s cannot be noted and is passed over", batch[0].position, batch[0].job)
                dead = []
            else:
                for fed in batch:
                    await self._finish([fed])
                return
        await self._ports.feed.settle(batch, dead)

    async def _reclaim(self) -> Sequence[Fed]:
        """What somebody took long ago and did not finish, now and then."""
        if not self._is_due(self._next_reclaim):
            return ()
        found = await self._ports.feed.reclaim(self._manners.reclaim_idle, self._manners.batch)
        self._reclaimed += len(found.events)
        self._vanished += found.vanished
        if not found.events:
            self._next_reclaim = self._now() + min(RECLAIM_EVERY, self._manners.reclaim_idle)
        return found.events

    async def _look_at_lag(self) -> None:
        if not self._is_due(self._next_lag):
            return
        lag = await self._ports.feed.lag()
        self._next_lag = self._now() + LAG_EVERY
        if lag.dropped > self._lag.dropped:
            log.error(
                "%d events were dropped before any router took them, so the history lacks them; keep routers running",
                lag.dropped - self._lag.dropped,
            )
        self._lag = lag

    async def _drop_old_history(self) -> None:
        while True:
            try:
                dropped = await self._drop_some()
            except Exception as error:  # noqa: BLE001 - whatever one look meets, the next must be tried
                self._tell_of(error, 0)
                dropped = 0
            # Some at a time, so that others get a turn.
            await asyncio.sleep(SHORTEST_PAUSE if dropped == DROPPED_AT_ONCE else DROP_EVERY)

    async def _drop_some(self) -> int:
        """What is too old first, then what is too much."""
        history, manners = self._ports.history, self._manners
        before = self._clock.now() - manners.history_days * 24 * 3600
        dropped = await history.drop(before, DROPPED_AT_ONCE)
        if dropped < DROPPED_AT_ONCE:
            dropped = max(dropped, await history.drop_beyond(manners.history_jobs, DROPPED_AT_ONCE))
        return dropped

    def _is_due(self, moment: float) -> bool:
        return self._now() >= moment

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


async def _pause(failures: int) -> None:
    longest = min(LONGEST_PAUSE, SHORTEST_PAUSE * 2**failures)
    await asyncio.sleep(random.uniform(longest / 2, longest))
