"""Follow jobs: each event once, in order, whatever the store's calls do.

One who follows first has the store call whenever there is something new, then reads the log, and from then on hands
out only what follows directly on the last event. A call that is lost is noticed by the next one, which does not
follow, or by the silence, after which the log is read. So nothing is lost or told twice, and the last event, which has
no next one, arrives too.
"""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from goatherd.engine.follower import Follower
from goatherd.engine.hub import Hub
from goatherd.engine.surroundings import Surroundings
from goatherd.errors import Unavailable
from goatherd.model.event import Position
from goatherd.ports.clock import Clock, Timer
from goatherd.ports.events import Events

#: Seconds for which a job goes on being watched after the last one who followed it has left: he may come back.
LINGER = 10.0
#: Logs that are looked at together after a silence.
AT_ONCE = 200

log = logging.getLogger("goatherd.subscriptions")


class Subscriptions:
    """All jobs that one process follows, each watched once however many follow it. Used from one event loop."""

    def __init__(self, events: Events, clock: Clock, *, look_after: float, buffer: int) -> None:
        self._clock = clock
        self._look_after = look_after
        self._around = Surroundings(events, clock, buffer, self._begin)
        self._hubs: dict[str, Hub] = {}
        #: Hubs that nobody follows, and since when, the longest first.
        self._left: dict[Hub, float] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._rounds: asyncio.Task[None] | None = None
        self._timer: Timer | None = None
        self._closed = False

    @property
    def jobs(self) -> int:
        """How many jobs are watched."""
        return len(self._hubs)

    async def follow(self, job_id: str, after: Position | None, *, every: bool = False) -> Follower:
        """Follow a job from a position on; raises UnknownJob or Unavailable.

        BEGINNING: all events that are kept, then what comes. None: the job as it stands, in one Reading, then what
        comes. Any other position: what follows on it, or a Reading if that cannot be told one by one. One who is far
        behind also gets a Reading, if it is less than what he missed, unless he wants `every` event that is still
        kept, as from the BEGINNING.
        """
        if self._closed:
            raise _closed(job_id)
        hub = self._hub(job_id)
        follower = Follower(hub, self._leave)
        hub.followers[follower] = None
        self._left.pop(hub, None)
        try:
            await hub.open()
            await follower.begin(after, every=every)
        except BaseException:
            self._leave(follower)
            raise
        return follower

    async def close(self) -> None:
        """Let go of everything; whoever still follows is told. Idempotent."""
        self._closed = True
        hubs = {*self._hubs.values(), *self._left}
        for hub in hubs:
            hub.give_up(_closed(hub.job_id))
        if self._timer is not None:
            self._timer.cancel()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(hub.close() for hub in hubs))
        self._hubs.clear()
        self._left.clear()

    def _hub(self, job_id: str) -> Hub:
        hub = self._hubs.get(job_id)
        if hub is not None and hub.problem is not None:
            self._left.pop(hub, None)
            self._begin(hub.close(), f"goatherd end of {job_id}")
            hub = None
        if hub is None:
            hub = self._hubs[job_id] = Hub(job_id, self._around)
        if self._rounds is None:
            self._rounds = self._begin(self._make_rounds(), "goatherd subscriptions")
        return hub

    def _leave(self, follower: Follower) -> None:
        hub = follower.hub
        gone = hub.followers.pop(follower, 0) is None
        if gone and not hub.followers and self._hubs.get(hub.job_id) is hub:
            self._left[hub] = self._clock.now()

    def _begin(self, work: Coroutine[Any, Any, Any], name: str) -> "asyncio.Task[Any]":
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        # Whoever waits for it gets the error; if all have left meanwhile, nobody needs it.
        if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, Unavailable):
            log.error("%s failed", task.get_name(), exc_info=error)

    async def _make_rounds(self) -> None:
        """Look at what has been silent, and let go of what nobody follows, as long as there is anything."""
        while self._hubs:
            await self._pause(min(self._look_after, LINGER) / 4)
            now = self._clock.now()
            await self._let_go(now)
            silent = [hub for hub in self._hubs.values() if self._is_silent(hub, now)]
            for start in range(0, len(silent), AT_ONCE):
                looks = [hub.look() for hub in silent[start : start + AT_ONCE]]
                # What fails is told by whoever owns it; the others must be looked at all the same.
                await asyncio.gather(*looks, return_exceptions=True)
                if self._around.away:
                    break
        self._rounds = None

    def _is_silent(self, hub: Hub, now: float) -> bool:
        # A clock that was put back must not make us wait for as long.
        is_over = hub.closed and not hub.stuck
        return bool(hub.followers) and not is_over and abs(now - hub.heard_at) >= self._look_after

    async def _let_go(self, now: float) -> None:
        over = [hub for hub, since in self._left.items() if abs(now - since) >= LINGER or hub.ring is None]
        for hub in over:
            # Somebody may have come back while another was closed.
            if self._left.pop(hub, None) is not None:
                del self._hubs[hub.job_id]
                await hub.close()

    async def _pause(self, seconds: float) -> None:
        over = asyncio.Event()
        self._timer = self._clock.call_at(self._clock.now() + seconds, over.set)
        await over.wait()


def _closed(job_id: str) -> Unavailable:
    return Unavailable(f"The app was closed while job {job_id!r} was followed. Open it again and go on from there.")
