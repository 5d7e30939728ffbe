"""A consumer as those see it who want it: started, paused, stopped."""

import asyncio
import logging

from goatherd.adapters.rabbitmq.consumer import PATIENCE, Consumer
from goatherd.model.listener import Standing

log = logging.getLogger("goatherd.rabbitmq")


class Subscription(Consumer):
    """Satisfies `Consumption`."""

    @property
    def is_stopped(self) -> bool:
        """Whether it has ended for good."""
        return self._stopped

    @property
    def standing(self) -> Standing:
        """See `Consumption.standing`."""
        return self._conduct.standing(self._last_delivery)

    async def start(self) -> None:
        """Consume now and on every later connection; raises LinkFailed if it cannot now, unless it is shared."""
        self._hosting.members[self] = None
        if self._shared:
            await self._try_now()
        else:
            await self._hosting.link.on_up(self._subscribe)

    async def restart(self) -> None:
        """See `Consumption.restart`."""
        if not self._is_wanted:
            return
        if self._tag and self.room < 1:
            log.info("Queue %r is not consumed anew: its consumer holds as many as it may", self._queue)
            return
        await self._hosting.see_through(self._cancel())
        if self._is_wanted:
            self._conduct.begins()
            await self._try_now()

    async def renew(self, why: str = "") -> None:
        """Consume anew soon: because it is deaf, in words, or only to be allowed again all that it may hold."""
        await self._hosting.see_through(self._cancel())
        if self._needs_another_try:
            pause = self._conduct.ends(why, at_once=True) if why else 0
            self._hosting.recovery.later(self, pause)

    async def stop(self) -> None:
        """See `Subscription.stop` of the port."""
        self._stopped = True
        self._conduct.rests("stopped")
        await self._leave()
        if not self._released:
            self._released = True
            if self._host is not None:
                # What it has not settled can still be; then its channel is given back, unless others are on it.
                self._host.leave(self)
            self._hosting.members.pop(self, None)
            if self._care.released is not None:
                self._care.released(self._queue)

    async def pause(self) -> None:
        """Take nothing more for now."""
        if not self._paused and not self._stopped:
            self._paused = True
            self._conduct.rests("paused")
            await self._leave()
            log.warning("Queue %r is paused; nothing more is taken from it", self._queue)

    async def resume(self) -> None:
        """Take again; harmless if it was not paused."""
        if self._paused and not self._stopped:
            self._paused = False
            self._conduct.begins()
            log.warning("Queue %r is taken from again", self._queue)
            await self.start()

    async def close(self) -> None:
        """Let go of everything; the broker hands what is unsettled to others."""
        await self.stop()
        await self._arrivals.close()
        self._hosting.members.pop(self, None)
        if not self._shared and self._host is not None:
            await self._host.close()

    def abandon(self) -> None:
        """Come alive on no later connection."""
        self._stopped = True
        self._conduct.rests("stopped")
        self._hosting.link.forget(self._subscribe)
        self._hosting.recovery.forget(self)
        self._hosting.members.pop(self, None)

    async def _try_now(self) -> None:
        """Have it tried by those who see it through, and wait for that, but not for ever."""
        tried = self._tried = self._tried or asyncio.Event()
        self._hosting.recovery.later(self, 0)
        try:
            async with asyncio.timeout(PATIENCE):
                await tried.wait()
        except TimeoutError:
            log.info("The consumer of queue %r is not started yet; that goes on", self._queue)

    async def _leave(self) -> None:
        """Consume no more, neither now nor on later connections."""
        self._hosting.link.forget(self._subscribe)
        self._hosting.recovery.forget(self)
        self._told_tried()
        await self._hosting.see_through(self._cancel())
