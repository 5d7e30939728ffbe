"""Publish with confirms: every message ends as taken, returned, refused or unknown, and in time."""

import asyncio
from collections.abc import Sequence
from itertools import takewhile

from pamqp import commands

from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.comebacks import Comebacks
from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import LinkFailed
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.lookout import Lookout
from goatherd.adapters.rabbitmq.marks import question_for
from goatherd.adapters.rabbitmq.parcels import HINTS, Batch, Letter, Outcome, Outgoing
from goatherd.adapters.rabbitmq.patience import Patience
from goatherd.adapters.rabbitmq.rejections import outcome_after, raise_if_final
from goatherd.adapters.rabbitmq.replacing import GO_ON, Replacing
from goatherd.adapters.rabbitmq.wire import RETURN, Confirm, Content, content_frames, publish_method, read_return
from goatherd.errors import Unavailable
from goatherd.model.stand_in import pause_mark_of
from goatherd.ports.calls import Receipt

#: Messages that may be on their way without a confirm; beyond it publishers wait.
WINDOW = 4096
#: Places whose method frame is kept; each process that waits for answers is one.
MOST_PLACES = 10_000
#: A queue refuses while it is full, but also for a moment while it is made or moved: how often, and how long, to wait.
MOST_REFUSALS, PAUSE_AFTER_REFUSAL = 8, 0.1


class Publisher:
    """Publishes on one link; messages of unknown outcome are sent again under the same id."""

    def __init__(self, link: Link, deadline: float, replacing: Replacing | None = None) -> None:
        self._link = link
        self._replacing = replacing or Replacing(link)
        self.lookout = Lookout(self.is_marked)
        self._patience = Patience(deadline)
        self._channel: Channel | None = None
        self._opening = asyncio.Lock()
        self._next_tag = 1
        self._waiting: dict[int, tuple[Batch | Letter, int]] = {}
        self._trying_again: set[asyncio.Task[None]] = set()
        self._closed = False
        self._room = asyncio.Event()
        self._room.set()
        self._methods: dict[tuple[str, str], bytes] = {}
        #: Publishes that were sent again because their first outcome stayed unknown.
        self.repeated = 0
        #: How often a channel was opened: each loss of one costs those who were on it.
        self.channels_opened = 0

    async def publish(self, messages: Sequence[Outgoing]) -> None:
        """Return when the broker has taken all; raises Unavailable with the ids that it has not."""
        batch = Batch(list(messages))
        until = asyncio.get_running_loop().time() + self._patience.seconds
        if self._sent_at_once(batch):
            self._patience.limit(batch.done)
            try:
                await batch.done
            except TimeoutError as error:
                raise self._not_in_time(batch) from error
            if batch.all_taken:
                return
        await self._keep_trying(batch, until)

    async def _keep_trying(self, batch: Batch, until: float) -> None:
        comebacks, refusals = Comebacks(self._replacing, self.lookout, self.is_paused), 0
        try:
            async with asyncio.timeout_at(until):
                while await self._send(batch, comebacks):
                    refusals += Outcome.REFUSED in batch.outcomes
                    raise_if_final(batch, full=refusals > MOST_REFUSALS)
                    await comebacks.wait(batch)
                    self.repeated += batch.outcomes[: batch.written].count(Outcome.UNKNOWN)
                    if refusals:
                        await asyncio.sleep(PAUSE_AFTER_REFUSAL)
                    batch = Batch(batch.not_taken)
        except TimeoutError as error:
            raise self._not_in_time(batch, comebacks.why) from error

    def _not_in_time(self, batch: Batch, awaited: str = "") -> Unavailable:
        return Unavailable(self._why_not(awaited), jobs=[message.id for message in batch.not_taken])

    def post(self, message: Outgoing, receipt: Receipt) -> None:
        """Publish without waiting; the receipt is told what became of it."""
        letter = Letter(message, receipt, self._not_taken)
        if self._sent_at_once(letter):
            self._patience.limit(letter)
        else:
            self._not_taken(letter, None)

    def _not_taken(self, letter: Letter, out_of_time: TimeoutError | None) -> None:
        """Publish one that was not taken at once, with all the patience that others get."""
        if out_of_time is not None or self._closed:
            letter.receipt.failed(Unavailable(self._why_not(), jobs=[letter.messages[0].id]))
            return
        task = asyncio.create_task(self._insist(letter), name=f"goatherd publish {letter.messages[0].id}")
        self._trying_again.add(task)
        task.add_done_callback(lambda _task: self._tried_again(task, letter))

    def _tried_again(self, task: "asyncio.Task[None]", letter: Letter) -> None:
        self._trying_again.discard(task)
        # Said here, for one that is cancelled before it has begun can say nothing itself.
        if task.cancelled():
            letter.receipt.failed(Unavailable(self._why_not(), jobs=[letter.messages[0].id]))

    async def close(self) -> None:
        """Give up what is still being tried."""
        self._closed = True
        for task in self._trying_again:
            task.cancel()
        await asyncio.gather(*self._trying_again, return_exceptions=True)

    async def _insist(self, letter: Letter) -> None:
        self.repeated += letter.written
        try:
            await self.publish(letter.messages)
        except Unavailable as error:
            letter.receipt.failed(error)
        else:
            letter.receipt.taken()

    @property
    def blocked(self) -> str | None:
        """Why the broker takes no messages now; None if it does."""
        return self._link.blocked

    async def is_paused(self, queue: str, deadline: float | None = None) -> bool:
        """Whether there is the mark that says that a queue is paused; raises Unavailable."""
        return await self.is_marked(pause_mark_of(queue), deadline)

    async def is_marked(self, mark: str, deadline: float | None = None) -> bool:
        """Whether there is a certain mark; raises Unavailable."""
        question = question_for(mark)
        return question is not None and await self.is_taken(question, deadline)

    async def is_taken(self, message: Outgoing, deadline: float | None = None) -> bool:
        """Publish, and tell whether there is a queue for it; raises Unavailable."""
        batch = Batch([message])
        try:
            async with asyncio.timeout(self._patience.seconds if deadline is None else deadline):
                while await self._send(batch) and batch.outcomes[0] is not Outcome.RETURNED:
                    await asyncio.sleep(PAUSE_AFTER_REFUSAL)
                    batch = Batch([message])
        except TimeoutError as error:
            raise Unavailable(self._why_not(), jobs=[message.id]) from error
        return batch.outcomes[0] is Outcome.TAKEN

    def _sent_at_once(self, batch: Batch | Letter) -> bool:
        """Whether it has gone out, which it has if there is nothing to wait for but the confirms."""
        channel = self._channel
        if channel is None or channel.failed is not None or len(batch.messages) > WINDOW:
            return False
        if self._replacing.away and self._replacing.holds_back(batch.messages):
            return False
        if self.lookout.fresh and self.lookout.is_stale(batch.messages):
            return False
        if not (self._room.is_set() and channel.connection.writable.is_set()):
            return False
        self._write(channel, batch, range(len(batch.messages)))
        return True

    async def _send(self, batch: Batch, comebacks: Comebacks | None = None) -> bool:
        """Publish once; true if not all were taken."""
        if batch.done.done():
            return not batch.all_taken
        messages = batch.messages
        channel = await self._open_channel()
        for start in range(0, len(messages), WINDOW):
            await self._room.wait()
            await channel.connection.writable.wait()
            if comebacks is not None:
                # Last, for what it finds out counts only for a moment.
                await comebacks.hold_back(messages)
            if channel.failed is not None:
                break
            self._write(channel, batch, range(start, min(start + WINDOW, len(messages))))
        else:
            await batch.done
        return not batch.all_taken

    def _write(self, channel: Channel, batch: Batch | Letter, indexes: range) -> None:
        frames = [self._frames(channel, batch.messages[index]) for index in indexes]
        # Only now, for if one of them cannot be written, none goes out, and the broker's count must stay ours.
        for index in indexes:
            self._waiting[self._next_tag] = (batch, index)
            self._next_tag += 1
        batch.written = indexes.stop
        if len(self._waiting) > WINDOW:
            self._room.clear()
        channel.send(frames[0] if len(frames) == 1 else b"".join(frames))

    def _frames(self, channel: Channel, message: Outgoing) -> bytes:
        place = (message.exchange, message.routing_key)
        method = self._methods.get(place)
        if method is None:
            method = self._method(channel, place)
        largest = channel.connection.largest_frame
        return method + content_frames(channel.number, message.properties, message.body, largest)

    def _method(self, channel: Channel, place: tuple[str, str]) -> bytes:
        if len(self._methods) >= MOST_PLACES:
            self._methods.clear()
        # Word that nobody need hear; and a queue that is none, to which RabbitMQ returns what its reader gets.
        mandatory = place[0] != HINTS and not place[1].startswith("amq.rabbitmq.reply-to.")
        method = self._methods[place] = publish_method(channel.number, *place, mandatory=mandatory)
        return method

    async def _open_channel(self) -> Channel:
        """The channel for publishes, on which nothing else is done that could close it."""
        async with self._opening:
            while self._channel is None or self._channel.failed is not None:
                connection = await self._link.connection()
                try:
                    self._channel = await self._confirming(connection)
                except LinkFailed:
                    await asyncio.sleep(0.05)
            return self._channel

    async def _confirming(self, connection: Connection) -> Channel:
        channel = await connection.open_channel()
        channel.confirmed = self._confirmed
        channel.received = self._returned
        channel.on_failure = self._failed
        await channel.ask(commands.Confirm.Select())
        self._next_tag = 1
        self.channels_opened += 1
        self._methods.clear()
        return channel

    def _confirmed(self, confirm: Confirm) -> None:
        outcome = Outcome.TAKEN if confirm.taken else Outcome.REFUSED
        tags = [confirm.tag]
        if confirm.multiple:
            tags = list(takewhile(lambda tag: tag <= confirm.tag, self._waiting))
        for tag in tags:
            entry = self._waiting.pop(tag, None)
            if entry is not None:
                entry[0].settle(entry[1], outcome)
        if len(self._waiting) <= WINDOW // 2:
            self._room.set()

    def _returned(self, contents: list[Content]) -> None:
        """A return comes before the confirm of the same message, which then changes nothing."""
        for content in contents:
            if content.method == RETURN:
                place = read_return(content.arguments)
                message_id = properties.read(content.properties).message_id
                for batch, index in self._waiting.values():
                    message = batch.messages[index]
                    if message.id == message_id and (message.exchange, message.routing_key) == place:
                        batch.outcomes[index] = Outcome.RETURNED

    def _failed(self, error: LinkFailed) -> None:
        waiting, self._waiting = self._waiting, {}
        for batch, index in waiting.values():
            outcome = outcome_after(error, batch.messages[index])
            if outcome is Outcome.FORBIDDEN:
                batch.why = str(error)
            batch.settle(index, outcome)
        self._room.set()

    def _why_not(self, awaited: str = "") -> str:
        """With what was waited for, if that was not the broker."""
        if self._closed:
            return "Not accepted before this client was closed. Try again with the same id."
        if awaited and self._link.state == "up":
            within = f"Not accepted within {self._patience.seconds:g} s"
            return f"{within}: {awaited}. {GO_ON} Then try again with the same id."
        if self._link.state == "blocked":
            why = f"the broker is blocked, which means that it takes no messages for now ({self.blocked})"
        elif self._link.state == "up":
            why = "the broker did not confirm in time"
        else:
            why = f"the broker is away: {self._link.last_failure}"
        return f"Not accepted within {self._patience.seconds:g} s: {why}. Try again with the same id."
