"""Move messages from one queue to another: take, publish, and let go of each when the other queue has it."""

import asyncio
import logging
import time
from itertools import takewhile

from pamqp import commands

from goatherd.adapters.rabbitmq.asking import Asking, Refusal
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.counts import Counts
from goatherd.adapters.rabbitmq.declarations import consume
from goatherd.adapters.rabbitmq.failures import LinkFailed
from goatherd.adapters.rabbitmq.pace import Pace
from goatherd.adapters.rabbitmq.wire import (
    DELIVER,
    Confirm,
    Content,
    ack_frame,
    content_frames,
    publish_method,
    read_deliver,
)
from goatherd.errors import Unavailable

#: Messages that are taken and not let go of.
WINDOW = 256
#: Seconds after which it is asked whether anything is left, if nothing comes.
LULL = 0.2
#: Seconds within which the broker must have heard what was let go of.
FAREWELL = 10.0
#: Seconds without a message moved, while some wait, after which something is wrong.
STANDSTILL = 20.0

log = logging.getLogger("goatherd.rabbitmq")


class Mover:
    """One passage on one channel; if the channel ends, all that is not let go of is where it was."""

    def __init__(self, asking: Asking, counts: Counts, source: str, to: str, exchange: str) -> None:
        self._asking = asking
        self._counts = counts
        self._source = source
        self._to = to
        self._exchange = exchange
        #: What was published and is not confirmed: the number of the publish, and of the delivery.
        self._under_way: dict[int, int] = {}
        self._published = 0
        self._trouble = ""
        self._stirred = asyncio.Event()

    async def run(self, pace: Pace) -> None:
        """Returns when nothing waits there; raises Unavailable."""
        connection = await self._asking.connection()
        try:
            channel = await self._asking.within(connection.open_channel())
            try:
                await self._run(channel, pace)
            finally:
                await _close(channel)
        except Refusal as refusal:
            raise self._stopped(str(refusal)) from refusal

    async def _run(self, channel: Channel, pace: Pace) -> None:
        channel.received = lambda contents: self._received(channel, contents)
        channel.confirmed = lambda confirm: self._confirmed(channel, confirm, pace)
        channel.on_cancel = lambda _consumer: self._stop("the queue was deleted meanwhile")
        channel.on_failure = lambda error: self._stop(str(error))
        within = self._asking.within
        await within(channel.ask(commands.Confirm.Select()))
        await within(channel.ask(commands.Basic.Qos(0, WINDOW)))
        while await self._counts.waiting(self._source):
            others = await self._counts.consumers(self._source)
            await within(channel.ask(consume(self._source, self._exchange)))
            await self._until_empty(channel, pace)
            # What comes before the answer to this has come; nothing does after it.
            await within(channel.ask(commands.Basic.Cancel(self._exchange)))
            await self._until_settled(channel, pace)
            await self._until_left(others)
        pace.tell(at_once=True)

    async def _until_empty(self, channel: Channel, pace: Pace) -> None:
        while self._under_way or await self._counts.waiting(self._source):
            await self._lull(channel, pace)

    async def _until_settled(self, channel: Channel, pace: Pace) -> None:
        while self._under_way:
            await self._lull(channel, pace)

    async def _until_left(self, others: int) -> None:
        """Until the broker has heard all that was let go of: a quorum queue forgets what is left with the channel.

        As long as it has not heard of all, it counts us as a consumer.
        """
        until = time.monotonic() + FAREWELL
        while True:
            if await self._counts.consumers(self._source) <= others or time.monotonic() > until:
                return
            await asyncio.sleep(LULL / 10)

    async def _lull(self, channel: Channel, pace: Pace) -> None:
        """Wait until something happens, but not for long; raises Unavailable if it has stopped."""
        self._stirred.clear()
        if not self._trouble:
            try:
                async with asyncio.timeout(LULL):
                    await self._stirred.wait()
            except TimeoutError:
                self._check(channel, pace)
        if self._trouble:
            raise self._stopped(self._trouble)
        pace.tell()

    def _check(self, channel: Channel, pace: Pace) -> None:
        if not pace.stands_still_for(STANDSTILL):
            return
        blocked = channel.connection.blocked
        if blocked is not None:
            self._stop(f"the broker takes no messages for now ({blocked})")
        else:
            self._stop(f"none was moved for {STANDSTILL:g} s; another consumer may have them for itself alone")

    def _received(self, channel: Channel, contents: list[Content]) -> None:
        for content in contents:
            if content.method != DELIVER:
                # It comes back before it is confirmed, so that nothing was let go of that the other queue has not.
                self._stop(f"no message can go to the queue {self._to!r}, which may have been deleted")
            if self._trouble:
                return
            told = read_deliver(content.arguments)
            self._published += 1
            self._under_way[self._published] = told.tag
            method = publish_method(channel.number, self._exchange, told.routing_key)
            largest = channel.connection.largest_frame
            channel.send(method + content_frames(channel.number, content.properties, content.body, largest))

    def _confirmed(self, channel: Channel, confirm: Confirm, pace: Pace) -> None:
        if not confirm.taken:
            self._stop(f"the queue {self._to!r} takes no more messages; it may be full")
        if self._trouble:
            return
        tags = list(takewhile(lambda tag: tag <= confirm.tag, self._under_way)) if confirm.multiple else [confirm.tag]
        known = [self._under_way.pop(tag) for tag in tags if tag in self._under_way]
        if known:
            # They were published in the order in which they came, so a confirm of many is one of all before.
            channel.send(ack_frame(channel.number, known[-1], multiple=confirm.multiple))
            pace.add(len(known))
        self._stirred.set()

    def _stop(self, why: str) -> None:
        self._trouble = self._trouble or why
        self._stirred.set()

    def _stopped(self, why: str) -> Unavailable:
        advice = "Try again."
        if "user_id" in why:
            advice = (
                "One of them says that another user sent it. Let the broker move them (`rabbitmq-plugins enable "
                "rabbitmq_shovel`), or give the user of GOATHERD_BROKER_URL the tag `impersonator`; then try again."
            )
        return Unavailable(
            f"Moving the messages of the queue {self._source!r} to {self._to!r} stopped: {why}. Those not moved are "
            f"where they were. {advice}"
        )


async def _close(channel: Channel) -> None:
    try:
        await channel.close()
    except LinkFailed as error:
        log.debug("What was not moved went back by itself: %s", error)
