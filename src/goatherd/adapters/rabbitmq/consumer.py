"""A consumer of one queue that comes back after every loss of its channel, its connection or its queue."""

import asyncio
import logging

from goatherd.adapters.rabbitmq.arrivals import Arrivals
from goatherd.adapters.rabbitmq.care import Care
from goatherd.adapters.rabbitmq.conduct import Conduct
from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed, why_channel_closed
from goatherd.adapters.rabbitmq.host import CANCELLED, Host
from goatherd.adapters.rabbitmq.hosting import Hosting
from goatherd.adapters.rabbitmq.wire import Content
from goatherd.errors import GoatherdError
from goatherd.ports.broker import Deliver

#: Seconds for which a consumer that is to be started waits for a connection and for its queue.
PATIENCE = 20.0
#: Seconds until it is tried again when there was no connection, no room to take anything, or no queue for a while.
ANOTHER_LOOK = 1.0
#: Ends in a row, soon after a start and by nobody's known fault, after which a consumer gets a channel of its own.
SUSPICIOUS = 3

log = logging.getLogger("goatherd.rabbitmq")


class Consumer:
    """One queue, one channel at a time: its own or, with `shared`, one on which there are others."""

    #: Whether it can be ended and started again without harm to its queue, if nothing is heard from it.
    restartable = True

    def __init__(
        self, hosting: Hosting, queue: str, prefetch: int, deliver: Deliver, care: Care, *, shared: bool = False
    ) -> None:
        self._hosting = hosting
        self._queue = queue
        self._prefetch = prefetch
        self._care = care
        self._shared = shared
        self._arrivals = Arrivals(deliver, care)
        self._conduct = Conduct()
        self._host: Host | None = None
        self._tag = ""
        #: Its queue was gone when it ended, or could not be started.
        self._bereft = False
        #: It has harmed others, and gets a channel of its own.
        self._on_trial = False
        self._stopped = False
        self._paused = False
        self._released = False
        self._subscribing = asyncio.Lock()
        self._tried: asyncio.Event | None = None
        #: What the broker was told that it may hold.
        self._granted = prefetch
        self._last_delivery: float | None = None

    @property
    def queue(self) -> str:
        """Its name."""
        return self._queue

    @property
    def host(self) -> Host | None:
        """Where it is or was, if that still lives."""
        return self._host

    @property
    def tag(self) -> str:
        """What the broker knows it by; empty while it does not consume."""
        return self._tag

    @property
    def last_delivery(self) -> float | None:
        """When something last came."""
        return self._last_delivery

    @property
    def ran_for(self) -> float:
        """Seconds since it began to consume."""
        return self._conduct.ran_for()

    @property
    def room(self) -> int:
        """How many more it may be given before it settles some."""
        return self._prefetch - (self._host.acks.held_by(self) if self._host is not None else 0)

    @property
    def is_curbed(self) -> bool:
        """Whether it was started while it held some, is therefore given fewer than it may be, and need not be."""
        return self._tag != "" and self._granted < self.room == self._prefetch

    # --- what happens to it -----------------------------------------------------------------------

    def take(self, host: Host, contents: list[Content]) -> None:
        """Messages have come."""
        self._last_delivery = self._arrivals.take(self._queue, host.channel, host.acks, self, contents)

    def cancelled(self, why: str) -> None:
        """The broker, or our own look at it, says that it consumes no more."""
        if self._tag:
            if self._host is not None:
                self._host.forget(self._tag)
            self._tag = ""
            self._bereft = True
            self._ended(why)

    def lost(self, host: Host, error: LinkFailed, *, guilty: bool) -> None:
        """Its channel is gone."""
        if host is not self._host:
            return
        self._host, self._tag = None, ""
        self._bereft |= isinstance(error, ChannelClosed) and error.code == 404
        if not self._is_wanted:
            return
        if isinstance(error, ChannelClosed):
            self._on_trial = self._shared and (guilty or self._on_trial or self._conduct.bumps >= SUSPICIOUS)
            self._ended(why_channel_closed(error), guilty=guilty)
        elif not host.channel.connection.lost.done():
            self._ended(str(error))
        else:
            self._conduct.waits(str(error))
            if self._shared:
                self._hosting.recovery.later(self, 0)

    async def come_back(self) -> None:
        """Try to consume; asks to be tried again if that is needed."""
        try:
            async with asyncio.timeout(PATIENCE):
                if await self._is_replaced():
                    # Nobody's fault: to make it, or to be refused it, would only be in the way.
                    if self._needs_another_try:
                        self._wait("its queue is being replaced")
                    return
                if self._care.prepare is not None:
                    await self._care.prepare(self._queue, again=self._conduct.has_run)
                connection = None if self._shared else await self._hosting.link.connection()
            # Without a limit of its own: to give up a question in the middle would end the channel for all on it.
            await self._subscribe(connection)
        except (ChannelClosed, GoatherdError) as error:
            if self._needs_another_try:
                self._ended(str(error), guilty=True)
        except (LinkFailed, TimeoutError) as error:
            if self._needs_another_try:
                self._wait(str(error) or f"there was no connection within {PATIENCE:g} s")
        finally:
            self._told_tried()

    # --- how ----------------------------------------------------------------------------------------

    @property
    def _is_wanted(self) -> bool:
        return not (self._stopped or self._paused)

    @property
    def _needs_another_try(self) -> bool:
        return self._is_wanted and not self._tag and not self._hosting.recovery.expects(self)

    async def _is_replaced(self) -> bool:
        """Whether there is no queue for a while; asked only by those who lost theirs."""
        return self._bereft and self._care.is_replaced is not None and await self._care.is_replaced(self._queue)

    def _told_tried(self) -> None:
        """Let those go on who wait for it to be tried: it was, or will not be."""
        if self._tried is not None:
            self._tried.set()
            self._tried = None

    def consumes(self) -> bool:
        """Whether the broker has confirmed it on a channel that lives."""
        return self._tag != ""

    async def _subscribe(self, connection: Connection | None) -> None:
        # A new connection and the recovery of a lost consumer may ask for it in the same moment.
        async with self._subscribing:
            if not self._is_wanted or self._tag:
                return
            host = await self._place(connection)
            room = self.room
            if room < 1:
                self._wait("it holds as many as it may")
                return
            try:
                if self._care.make_queue is not None:
                    self._queue = await self._care.make_queue(host.channel)
                tag = await host.consume(self, self._queue, room)
            except ChannelClosed:
                return  # `lost` was called and has seen to it.
            if not host.knows(tag):
                # It was ended before we heard that it had begun; if that was with its channel, `lost` has seen to it.
                if self._needs_another_try:
                    self._ended(CANCELLED)
                return
            self._tag, self._granted, self._bereft = tag, room, False
            if self._conduct.runs():
                recovered = "Recovered listener: %s" if self._shared else "Recovered the consumer of queue %r"
                log.warning(recovered, self._queue)

    async def _place(self, connection: Connection | None) -> Host:
        """The channel of before if it still lives, for it may hold unsettled deliveries; else another one."""
        if self._host is None or self._host.channel.failed is not None:
            if connection is not None:
                self._host = await self._hosting.own_place(self, connection)
            else:
                self._host = await self._hosting.place(self, alone=self._on_trial)
        return self._host

    async def _cancel(self) -> None:
        # A consumer that is being started at this moment would be overlooked.
        async with self._subscribing:
            host, tag = self._host, self._tag
            self._tag = ""
            if host is not None and host.channel.failed is None and tag:
                try:
                    await host.cancel(tag)
                except LinkFailed as error:
                    log.debug("The consumer of %s was gone before it could be stopped: %s", self._queue, error)

    def _ended(self, why: str, *, guilty: bool = False) -> None:
        """It consumes no more although its connection lives: start it again, with growing pauses."""
        if not self._is_wanted:
            return
        was_down = self._conduct.condition != "running"
        at_once = self._shared and not guilty and self._host is None
        pause = self._conduct.fails(why) if guilty else self._conduct.ends(why, at_once=at_once)
        # Of hundreds that ended with their common channel, nobody wants to read; their host says it once.
        level = logging.DEBUG if at_once else logging.WARNING
        what = "could not be started" if guilty and was_down else "has ended"
        log.log(level, "The consumer of queue %r %s (%s); it is started again in %.1f s", self._queue, what, why, pause)
        self._hosting.recovery.later(self, pause)

    def _wait(self, why: str) -> None:
        self._conduct.waits(why)
        self._hosting.recovery.later(self, ANOTHER_LOOK)
