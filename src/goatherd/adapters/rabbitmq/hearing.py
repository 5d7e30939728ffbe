"""Ask the broker, again and again, whether it knows of the consumers that we think we have.

A consumer may be gone while its connection lives: the broker's word of it was lost, or a queue moved. Then everything
looks well here, and nothing comes any more. The broker's own count of a queue's consumers and messages tells.
"""

import asyncio
import logging
from typing import TYPE_CHECKING

from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed
from goatherd.adapters.rabbitmq.topology import Declarer

if TYPE_CHECKING:
    from goatherd.adapters.rabbitmq.hosting import Hosting
    from goatherd.adapters.rabbitmq.subscription import Subscription

#: Seconds in which every consumer is asked for once.
EVERY = 10.0
#: Questions under way at once, where there are many consumers.
AT_ONCE = 4
#: Seconds that a consumer must have run for the broker's count to be believed.
SETTLED = 3.0
#: Looks in a row at which messages waited and nothing came, after which a consumer is started anew; then doubled.
SILENT_LOOKS = 2

log = logging.getLogger("goatherd.rabbitmq")


class Note:
    """What the last looks at a consumer have shown."""

    __slots__ = ("last_delivery", "patience", "silent", "tag")

    def __init__(self) -> None:
        self.tag = ""
        self.last_delivery: float | None = None
        self.silent = 0
        self.patience = SILENT_LOOKS


class Hearing:
    """One task for all consumers, as long as there are any."""

    def __init__(self, hosting: "Hosting") -> None:
        self._hosting = hosting
        self._notes: dict[Subscription, Note] = {}
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    def begin(self) -> None:
        """There is a consumer; harmless if there were others."""
        if not self._closed and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run(), name="goatherd hearing")

    async def close(self) -> None:
        """Ask no more."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            members = list(self._hosting.members)
            self._notes = {member: self._notes.get(member) or Note() for member in members}
            lanes = min(AT_ONCE, 1 + len(members) // 100)
            await asyncio.gather(*(self._walk(members[lane::lanes], began) for lane in range(lanes)))
            del members
            await self._hosting.sweep()
            if not self._hosting.members and not self._hosting.channels:
                # Seen and left in one moment: whoever begins after this finds nobody here.
                self._notes.clear()
                return
            await asyncio.sleep(max(0.0, began + EVERY - loop.time()))

    async def _walk(self, members: "list[Subscription]", began: float) -> None:
        """Look at each, evenly over the time there is."""
        loop = asyncio.get_running_loop()
        for position, member in enumerate(members):
            wait = began + EVERY * position / len(members) - loop.time()
            # Many are asked for in one go: to wait for each alone would cost more than the question.
            if wait > 0.01:
                await asyncio.sleep(wait)
            try:
                await self._look(member, self._notes[member])
            except LinkFailed as error:
                log.debug("Whether queue %r is heard cannot be asked now: %s", member.queue, error)
            except Exception:
                log.exception("Whether queue %r is heard was not found out; this is a fault of Goatherd", member.queue)

    async def _look(self, member: "Subscription", note: Note) -> None:
        host, tag = member.host, member.tag
        if host is None or not tag or member.ran_for < SETTLED or host.channel.connection.blocked is not None:
            return
        if member.is_curbed:
            await member.renew()
            return
        if member.last_delivery != note.last_delivery or note.tag != tag:
            # Whoever gets messages is heard; one that was started anew has its time.
            heard = member.last_delivery != note.last_delivery
            note.tag, note.last_delivery, note.silent = tag, member.last_delivery, 0
            if heard:
                note.patience = SILENT_LOOKS
                return
        try:
            counts = await Declarer(host.channel.connection).exists(member.queue)
        except ChannelClosed as error:
            log.debug("The broker does not tell of queue %r: %s", member.queue, error)
            return
        if member.tag != tag:
            return  # It has ended or was started anew while we asked.
        if counts is None:
            member.cancelled("its queue is gone")
            return
        await self._judge(member, note, *counts)

    async def _judge(self, member: "Subscription", note: Note, ready: int, consumers: int) -> None:
        if consumers == 0:
            log.warning("The broker has no consumer of queue %r although we are one; it is started anew", member.queue)
            await member.renew("the broker had no such consumer")
            return
        waits = ready > 0 and member.room > 0 and member.last_delivery == note.last_delivery
        note.silent = note.silent + 1 if waits else 0
        if note.silent >= note.patience and member.restartable:
            log.warning(
                "%d messages wait in queue %r and none comes although there is room; its consumer is started anew",
                ready, member.queue,
            )  # fmt: skip
            note.patience *= 2
            await member.renew("messages waited and none came")
