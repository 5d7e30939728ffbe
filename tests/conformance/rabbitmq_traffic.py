"""Programs that publish to a RabbitMQ and consume from it, knowing nothing of what is done to its queues."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pamqp import commands

from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.adapters.rabbitmq.wire import (
    DELIVER,
    Confirm,
    Content,
    ack_frame,
    content_frames,
    publish_method,
    read_deliver,
)

#: Seconds within which the broker must have done a thing.
PATIENCE = 30.0
#: Messages that are taken before they are acked; a quorum queue gives out 2000.
MOST_UNACKED = 500
#: Flags and values of a message that is kept on disk, and says nothing else.
PERSISTENT = b"\x10\x00\x02"


@asynccontextmanager
async def traffic_at(address: Address) -> AsyncIterator["RabbitTraffic"]:
    link = Link(address, "traffic")
    await link.open()
    try:
        yield RabbitTraffic(await link.connection())
    finally:
        await link.close()


class RabbitTraffic:
    """Satisfies `Traffic`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._consuming: list[Channel] = []
        self._holding: list[tuple[Channel, int]] = []

    async def publish(self, exchange: str, key: str, *bodies: bytes, properties: bytes = PERSISTENT) -> None:
        async with asyncio.timeout(PATIENCE), self._channel() as channel:
            await channel.ask(commands.Confirm.Select())
            left = set(range(1, len(bodies) + 1))
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

            def confirmed(confirm: Confirm) -> None:
                assert confirm.taken, f"{exchange!r}/{key!r} takes no more"
                left.difference_update(
                    [tag for tag in left if tag <= confirm.tag] if confirm.multiple else [confirm.tag]
                )
                if not left and not done.done():
                    done.set_result(None)

            channel.confirmed = confirmed
            channel.received = lambda contents: done.set_exception(AssertionError(f"{key!r} leads nowhere: {contents}"))
            method, largest = publish_method(channel.number, exchange, key), self._connection.largest_frame
            for body in bodies:
                channel.send(method + content_frames(channel.number, properties, body, largest))
            await done

    async def drain(self, queue: str) -> list[tuple[str, bytes]]:
        return [
            (read_deliver(content.arguments).routing_key.decode(), content.body)
            for content in await self.take_all(queue)
        ]

    async def take_all(self, queue: str) -> list[Content]:
        """The messages themselves."""
        counts = await Declarer(self._connection).exists(queue)
        assert counts is not None, f"there is no queue {queue!r}"
        found: list[Content] = []
        async with asyncio.timeout(PATIENCE), self._channel() as channel:
            arrived: asyncio.Queue[list[Content]] = asyncio.Queue()
            channel.received = arrived.put_nowait
            await channel.ask(commands.Basic.Consume(0, queue))
            while len(found) < counts[0]:
                before, found = len(found), found + await arrived.get()
                # Few acks: of many, a quorum queue may miss the last if the channel is closed after them.
                if len(found) >= counts[0] or before // MOST_UNACKED != len(found) // MOST_UNACKED:
                    last = read_deliver(found[-1].arguments).tag
                    channel.send(ack_frame(channel.number, last, multiple=True))
        return found

    async def count(self, queue: str) -> int:
        """How many wait in a queue."""
        return (await Declarer(self._connection).exists(queue) or (0, 0))[0]

    async def consume(self, queue: str) -> None:
        channel = await self._connection.open_channel()
        await channel.ask(commands.Basic.Consume(0, queue))
        self._consuming.append(channel)

    async def hold(self, queue: str) -> None:
        channel = await self.hold_on(queue)
        await channel.ask(commands.Basic.Cancel("holder"))

    async def hold_on(self, queue: str) -> Channel:
        """The same, but stay for more."""
        channel = await self._connection.open_channel()
        arrived: asyncio.Queue[list[Content]] = asyncio.Queue()
        channel.received = arrived.put_nowait
        await channel.ask(commands.Basic.Qos(0, 1))
        await channel.ask(commands.Basic.Consume(0, queue, consumer_tag="holder"))
        content = (await asyncio.wait_for(arrived.get(), PATIENCE))[0]
        assert content.method == DELIVER
        self._holding.append((channel, read_deliver(content.arguments).tag))
        return channel

    async def settle(self) -> None:
        while self._holding:
            channel, tag = self._holding.pop()
            channel.send(ack_frame(channel.number, tag))
            await channel.close()

    async def leave(self) -> None:
        while self._consuming:
            await self._consuming.pop().close()

    @asynccontextmanager
    async def _channel(self) -> AsyncIterator[Channel]:
        channel = await self._connection.open_channel()
        try:
            yield channel
        finally:
            await channel.close()
