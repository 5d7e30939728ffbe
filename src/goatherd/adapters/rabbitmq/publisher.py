"""Publish with confirms: every message ends as taken, returned, refused or unknown, and in time."""

import asyncio
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from pamqp import commands

from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.wire import RETURN, Confirm, Content, content_frames, publish_method
from goatherd.errors import Refused, Unavailable

#: Messages that may be on their way without a confirm; beyond it publishers wait.
WINDOW = 4096
#: A queue refuses while it is full, but also for a moment while it is made or moved: how often, and how long, to wait.
MOST_REFUSALS, PAUSE_AFTER_REFUSAL = 8, 0.1


class Outgoing(NamedTuple):
    """One message for the broker."""

    id: str
    exchange: str
    routing_key: str
    properties: bytes
    body: bytes


class Outcome(Enum):
    """How a publish ended."""

    TAKEN = "taken"
    RETURNED = "no queue takes it"
    REFUSED = "the queue is full"
    UNKNOWN = "the connection was lost before the broker answered"


class _Batch:
    """Messages published together, and the outcome of each."""

    __slots__ = ("done", "left", "messages", "outcomes")

    def __init__(self, messages: Sequence[Outgoing]) -> None:
        self.messages = messages
        self.outcomes = [Outcome.UNKNOWN] * len(messages)
        self.left = len(messages)
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def settle(self, index: int, outcome: Outcome) -> None:
        if self.outcomes[index] is Outcome.UNKNOWN:
            self.outcomes[index] = outcome
        self.left -= 1
        if not self.left and not self.done.done():
            self.done.set_result(None)


class Publisher:
    """Publishes on one link; messages of unknown outcome are sent again under the same id."""

    def __init__(self, link: Link, deadline: float) -> None:
        self._link = link
        self._deadline = deadline
        self._channel: Channel | None = None
        self._opening = asyncio.Lock()
        self._next_tag = 1
        self._lowest = 1
        self._waiting: dict[int, tuple[_Batch, int]] = {}
        self._room = asyncio.Event()
        self._room.set()
        self._methods: dict[tuple[str, str], bytes] = {}
        #: Publishes that were sent again because their first outcome stayed unknown.
        self.repeated = 0

    async def publish(self, messages: Sequence[Outgoing]) -> None:
        """Return when the broker has taken all; raises Unavailable with the ids that it has not."""
        left = list(messages)
        refusals = 0
        try:
            async with asyncio.timeout(self._deadline):
                while left:
                    batch = await self._send(left)
                    left = [m for m, o in zip(batch.messages, batch.outcomes, strict=True) if o is not Outcome.TAKEN]
                    refusals += Outcome.REFUSED in batch.outcomes
                    self._raise_if_unwanted(batch, refusals)
                    self.repeated += batch.outcomes.count(Outcome.UNKNOWN)
                    if refusals:
                        await asyncio.sleep(PAUSE_AFTER_REFUSAL)
        except TimeoutError as error:
            raise Unavailable(self._why_not(), jobs=[message.id for message in left]) from error

    async def _send(self, messages: Sequence[Outgoing]) -> _Batch:
        batch = _Batch(messages)
        channel = await self._open_channel()
        for start in range(0, len(messages), WINDOW):
            await self._room.wait()
            await channel.connection.writable.wait()
            if channel.failed is not None:
                break
            self._write(channel, batch, range(start, min(start + WINDOW, len(messages))))
        else:
            await batch.done
        return batch

    def _write(self, channel: Channel, batch: _Batch, indexes: range) -> None:
        largest = channel.connection.largest_frame
        frames = []
        for index in indexes:
            message = batch.messages[index]
            place = (message.exchange, message.routing_key)
            method = self._methods.get(place)
            if method is None:
                method = self._methods[place] = publish_method(channel.number, *place)
            frames.append(method + content_frames(channel.number, message.properties, message.body, largest))
            self._waiting[self._next_tag] = (batch, index)
            self._next_tag += 1
        if len(self._waiting) > WINDOW:
            self._room.clear()
        channel.send(b"".join(frames))

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
        self._next_tag = self._lowest = 1
        self._methods.clear()
        return channel

    def _confirmed(self, confirm: Confirm) -> None:
        outcome = Outcome.TAKEN if confirm.taken else Outcome.REFUSED
        tags = range(self._lowest, confirm.tag + 1) if confirm.multiple else (confirm.tag,)
        for tag in tags:
            entry = self._waiting.pop(tag, None)
            if entry is not None:
                entry[0].settle(entry[1], outcome)
        if confirm.multiple:
            self._lowest = confirm.tag + 1
        if len(self._waiting) <= WINDOW // 2:
            self._room.set()

    def _returned(self, contents: list[Content]) -> None:
        """A return comes before the confirm of the same message, which then changes nothing."""
        for content in contents:
            if content.method == RETURN:
                message_id = properties.read(content.properties).message_id
                for batch, index in self._waiting.values():
                    if batch.messages[index].id == message_id:
                        batch.outcomes[index] = Outcome.RETURNED

    def _failed(self, error: LinkFailed) -> None:
        waiting, self._waiting = self._waiting, {}
        missing = isinstance(error, ChannelClosed) and error.code == 404
        for batch, index in waiting.values():
            batch.settle(index, Outcome.RETURNED if missing else Outcome.UNKNOWN)
        self._room.set()

    def _raise_if_unwanted(self, batch: _Batch, refusals: int) -> None:
        final = {Outcome.RETURNED} | ({Outcome.REFUSED} if refusals > MOST_REFUSALS else set())
        by_outcome = list(zip(batch.messages, batch.outcomes, strict=True))
        unwanted = [(m, o) for m, o in by_outcome if o in final]
        if not unwanted:
            return
        message, outcome = unwanted[0]
        place = message.routing_key if not message.exchange else f"{message.exchange}/{message.routing_key}"
        not_taken = [m.id for m, o in by_outcome if o is not Outcome.TAKEN]
        if outcome is Outcome.REFUSED:
            raise Refused(
                f"The queue {place!r} holds as many jobs as it may, so {len(not_taken)} job(s) were not accepted. "
                f"Start more workers, or try again later.",
                limit="max_length", jobs=not_taken,
            )  # fmt: skip
        raise Unavailable(
            f"There is no queue {place!r} on the broker, so {len(not_taken)} job(s) were not accepted. A worker or an "
            f"app that knows the queue makes it when it starts; check the name with `goatherd queues list`.",
            jobs=not_taken,
        )

    def _why_not(self) -> str:
        if self._link.state == "blocked":
            why = "the broker takes no messages for now, because its memory or disk is short"
        elif self._link.state == "up":
            why = "the broker did not confirm in time"
        else:
            why = f"the broker is away: {self._link.last_failure}"
        return f"Not accepted within {self._deadline:g} s: {why}. Try again with the same id."
