"""Many listeners of one program, and a stranger on the same broker."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from pamqp import commands

from goatherd.adapters.rabbitmq.address import read_address
from goatherd.adapters.rabbitmq.broker import RabbitBroker
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.subscription import Subscription
from goatherd.model.message import Delivery, Message
from goatherd.model.settings import Settings
from goatherd.model.topology import Queue
from goatherd.ports.clock import SystemClock
from goatherd.wiring import open_ports

#: Seconds within which whatever is promised must have happened, on a slow machine too.
PATIENCE = 120.0
#: Queues that are declared, and consumers that are started, at once.
BATCH = 100


def classic(name: str) -> Queue:
    """As listeners have them."""
    return Queue(name=name, contract=True, type="classic", one_of_many=True)


class Crowd:
    """One program's listeners."""

    def __init__(self, broker: RabbitBroker) -> None:
        self.broker = broker
        self.listeners: dict[str, Subscription] = {}
        self.got: Counter[str] = Counter()
        self._news = asyncio.Event()

    async def declare(self, names: Sequence[str]) -> None:
        for start in range(0, len(names), BATCH):
            await self.broker.declare([classic(name) for name in names[start : start + BATCH]])

    async def listen(self, names: Sequence[str], prefetch: int = 5) -> None:
        for start in range(0, len(names), BATCH):
            some = names[start : start + BATCH]
            consuming = (self.broker.consume(name, prefetch, self._deliver, shared=True) for name in some)
            self.listeners |= dict(zip(some, await asyncio.gather(*consuming), strict=True))

    async def forget(self, name: str) -> None:
        await self.listeners.pop(name).stop()

    async def send(self, names: Sequence[str], mark: str = "") -> set[str]:
        """One message to each; gives their ids."""
        messages = [Message(id=f"{name} {mark}", queue=name, body=b"x") for name in names]
        for start in range(0, len(messages), 1000):
            await self.broker.publish(messages[start : start + 1000])
        return {message.id for message in messages}

    async def hears(self, ids: set[str]) -> None:
        """Return when all of them have come."""
        async with asyncio.timeout(PATIENCE):
            while not ids <= self.got.keys():
                self._news.clear()
                await self._news.wait()

    async def stands(self, name: str, condition: str) -> None:
        """Return when a listener stands so."""
        async with asyncio.timeout(PATIENCE):
            while self.listeners[name].standing.condition != condition:
                await asyncio.sleep(0.02)

    def conditions(self) -> Counter[str]:
        return Counter(each.standing.condition for each in self.listeners.values())

    def _deliver(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            self.got[delivery.message.id] += 1
            self.broker.ack(delivery)
        self._news.set()


@asynccontextmanager
async def crowd(url: str, app: str = "arcade") -> AsyncIterator[Crowd]:
    """Opened and closed."""
    ports = await open_ports(Settings(broker_url=url, app=app, default_queue="arcade"), SystemClock())
    try:
        assert isinstance(ports.broker, RabbitBroker)
        yield Crowd(ports.broker)
    finally:
        await ports.close()


class Stranger:
    """Another program on the same broker, which does as it likes with the queues."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def lock(self, queue: str) -> None:
        """Have a queue that only this connection may use."""
        await self._ask(commands.Queue.Declare(0, queue, exclusive=True))

    async def occupy(self, queue: str) -> Channel:
        """Be its only consumer until the channel is closed."""
        channel = await (await self._link.connection()).open_channel()
        await channel.ask(commands.Basic.Consume(0, queue, exclusive=True))
        return channel

    async def delete(self, queue: str) -> None:
        await self._ask(commands.Queue.Delete(0, queue))

    async def make(self, queue: str) -> None:
        await self._ask(commands.Queue.Declare(0, queue, durable=True))

    async def _ask(self, question: commands.Queue.Declare | commands.Queue.Delete) -> None:
        channel = await (await self._link.connection()).open_channel()
        await channel.ask(question)
        await channel.close()


@asynccontextmanager
async def stranger(url: str) -> AsyncIterator[Stranger]:
    """Connected and gone."""
    link = Link(read_address(url), "stranger")
    await link.open()
    try:
        yield Stranger(link)
    finally:
        await link.close()
