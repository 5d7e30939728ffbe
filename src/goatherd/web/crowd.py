"""Everybody who is connected: how many may be, and whose time has come. One timer serves them all."""

import asyncio
import logging
import random
from collections import Counter

from goatherd.engine.follower import Follower
from goatherd.reporting import StreamCounts
from goatherd.web.metrics import GatewayMetrics
from goatherd.web.responses import busy

#: Seconds that a client may take to read what was sent; whoever takes longer comes back and goes on.
SEND_DEADLINE = 30.0
#: Seconds between two looks at all connections, at most and while they are sent away.
LOOK_EVERY, DRAIN_EVERY = 1.0, 0.05
#: Seconds after which one who was turned away may try again.
COME_BACK = 5.0

log = logging.getLogger("goatherd.gateway")


class Client:
    """One connection."""

    __slots__ = (
        "counts", "cut_off", "ends_at", "follower", "look_at", "reason", "sending_since", "spoke_at", "subject", "task",
    )  # fmt: skip

    def __init__(self, follower: Follower, subject: str | None, counts: StreamCounts) -> None:
        self.follower = follower
        #: Of the app whose job it watches.
        self.counts = counts
        #: On whose behalf; None if nobody asked.
        self.subject = subject
        self.task = asyncio.current_task()
        #: When it is sent away, and why.
        self.ends_at, self.reason = float("inf"), ""
        #: When somebody should look whether it is still there, and when it was last told something.
        self.look_at = self.spoke_at = 0.0
        self.sending_since: float | None = None
        #: Whether it was given up because it does not read.
        self.cut_off = False

    def end_at(self, moment: float, reason: str) -> None:
        """Send it away then, if not before."""
        if moment < self.ends_at:
            self.ends_at, self.reason = moment, reason


class Crowd:
    """The clients of one gateway on one loop."""

    def __init__(self, metrics: GatewayMetrics, *, most: int, most_each: int) -> None:
        self._metrics = metrics
        self._most = most
        self._most_each = most_each
        self._admitted = 0
        self._by_subject: Counter[str] = Counter()
        self._clients: dict[Client, None] = {}
        self._clock: asyncio.Task[None] | None = None
        self._look_every = LOOK_EVERY
        self._empty = asyncio.Event()
        #: Of the loop, as of the last look; to know it to the microsecond would cost more than it is worth.
        self.now = 0.0
        self.draining = False

    def admit(self, subject: str | None) -> None:
        """Give somebody a place until he is dismissed; raises Refusal if there is none, for all or for his like."""
        if self.draining:
            raise busy(503, "This gateway is about to stop; come back.", 1)
        if self._admitted >= self._most:
            raise busy(503, f"This gateway has its {self._most} clients; come back.", COME_BACK)
        if subject is not None and self._by_subject[subject] >= self._most_each:
            self._look_for_absent(subject)
            raise busy(429, f"You have {self._most_each} streams open here; close some, or come back.", COME_BACK)
        self._count(subject, 1)

    def dismiss(self, subject: str | None) -> None:
        """His place is free."""
        self._count(subject, -1)

    def enter(self, client: Client, keepalive: float) -> None:
        """Look after a client from now on."""
        if self.draining:
            # It came before, and was let in while the others were sent away.
            client.end_at(0.0, "drain")
        self.now = client.spoke_at = asyncio.get_running_loop().time()
        client.look_at = self.now + keepalive
        self._clients[client] = None
        client.counts.connections += 1
        self._look_every = min(self._look_every, keepalive / 4)
        if self._clock is None:
            self._clock = asyncio.create_task(self._look_around(), name="goatherd gateway clock")

    def leave(self, client: Client) -> None:
        """Look after it no more."""
        del self._clients[client]
        client.counts.connections -= 1

    async def drain(self, seconds: float) -> None:
        """Take nobody any more and send everybody away, spread over so many seconds; returns when all have left."""
        self.draining = True
        now = asyncio.get_running_loop().time()
        for client in self._clients:
            # All of them come back to other gateways, which should not get them in one moment.
            client.end_at(now + random.uniform(0, seconds), "drain")
        self._look_every = DRAIN_EVERY
        while self._admitted:
            self._empty.clear()
            await self._empty.wait()

    async def close(self) -> None:
        """Look after nobody any more."""
        clock, self._clock = self._clock, None
        if clock is not None:
            clock.cancel()
            await asyncio.gather(clock, return_exceptions=True)

    def _count(self, subject: str | None, change: int) -> None:
        self._admitted += change
        self._metrics.connections += change
        if subject is not None:
            self._by_subject[subject] += change
            if not self._by_subject[subject]:
                del self._by_subject[subject]
        if not self._admitted:
            self._empty.set()

    def _look_for_absent(self, subject: str) -> None:
        """Some may have left without our noticing; then there is a place next time."""
        for client in self._clients:
            if client.subject == subject:
                client.look_at = 0.0
                client.follower.nudge()

    async def _look_around(self) -> None:
        while self._clients:
            # In short steps: somebody may come who wants to be looked after more closely.
            await asyncio.sleep(self._look_every)
            self.now = now = asyncio.get_running_loop().time()
            for client in self._clients:
                if now >= client.look_at or now >= client.ends_at:
                    client.follower.nudge()
                if client.sending_since is not None and now - client.sending_since >= SEND_DEADLINE:
                    self._cut_off(client)
        self._clock = None
        self._look_every = LOOK_EVERY

    def _cut_off(self, client: Client) -> None:
        if client.task is not None and not client.cut_off:
            log.info("A client did not read for %g s; it is cut off and can go on where it was", SEND_DEADLINE)
            client.cut_off = True
            client.task.cancel()
