"""A broker that says exactly what a test tells it to, on loopback; its frames are made and read by another library."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from pamqp import commands, frame
from pamqp.base import Frame
from pamqp.body import ContentBody
from pamqp.exceptions import UnmarshalingException
from pamqp.header import ContentHeader
from pamqp.heartbeat import Heartbeat

from goatherd.adapters.rabbitmq.address import Address

#: Seconds within which a client must do what it is expected to.
PATIENCE = 5.0

Kind = TypeVar("Kind")
Answer = Callable[[Any], Frame]

ANSWERS: dict[type[Frame], Answer] = {
    commands.Channel.Open: lambda _: commands.Channel.OpenOk(),
    commands.Channel.Close: lambda _: commands.Channel.CloseOk(),
    commands.Connection.Close: lambda _: commands.Connection.CloseOk(),
    commands.Confirm.Select: lambda _: commands.Confirm.SelectOk(),
    commands.Basic.Qos: lambda _: commands.Basic.QosOk(),
    commands.Basic.Consume: lambda asked: commands.Basic.ConsumeOk(asked.consumer_tag),
    commands.Basic.Cancel: lambda asked: commands.Basic.CancelOk(asked.consumer_tag),
    commands.Queue.Declare: lambda asked: commands.Queue.DeclareOk(asked.queue, 0, 0),
}


@dataclass
class Published:
    """A message from the client, put together from its frames."""

    channel: int
    method: commands.Basic.Publish
    header: ContentHeader
    body: bytes = b""
    #: How large its frames were.
    sizes: tuple[int, ...] = ()

    @property
    def id(self) -> str:
        return str(self.header.properties.message_id)


class Conversation:
    """One connection, from the broker's side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._received = b""
        self._half: Published | None = None
        self.heard: list[object] = []
        self._channels: dict[type[Any], int] = {}
        self._channel_of_each: dict[int, int] = {}
        self._news = asyncio.Condition()
        #: Clear it to read nothing more, as a broker that is frozen or short of memory.
        self.reading = asyncio.Event()
        self.reading.set()
        self.answers = dict(ANSWERS)
        self._task: asyncio.Task[None] | None = None

    # --- saying -----------------------------------------------------------------------------------

    def say(self, method: Frame, channel: int = 0) -> None:
        self.write(frame.marshal(method, channel))

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    def deliver(
        self, channel: int, tag: int, body: bytes, *, redelivered: bool = False, consumer: str = "1", **properties: Any
    ) -> None:
        self.say(commands.Basic.Deliver(consumer, tag, redelivered, "", "work"), channel)
        self._content(channel, body, properties)

    def give_back(self, message: Published) -> None:
        """No queue takes it."""
        method = message.method
        self.say(commands.Basic.Return(312, "NO_ROUTE", method.exchange, method.routing_key), message.channel)
        self._content(message.channel, message.body, {"message_id": message.id})

    def cut(self) -> None:
        self._writer.transport.abort()

    def _content(self, channel: int, body: bytes, properties: dict[str, Any]) -> None:
        self.write(frame.marshal(ContentHeader(0, len(body), commands.Basic.Properties(**properties)), channel))
        if body:
            self.write(frame.marshal(ContentBody(body), channel))

    # --- hearing ----------------------------------------------------------------------------------

    async def hears(self, kind: type[Kind]) -> Kind:
        """The next thing of a kind that the client says, or has said and nobody asked for."""
        async with asyncio.timeout(PATIENCE), self._news:
            while True:
                for position, thing in enumerate(self.heard):
                    if isinstance(thing, kind):
                        del self.heard[position]
                        return thing
                await self._news.wait()

    def channel_of(self, kind: type[Frame]) -> int:
        """The channel on which the latest method of a kind came."""
        return self._channels[kind]

    def channel_of_this(self, heard: Frame) -> int:
        """The channel on which something that a test holds came."""
        return self._channel_of_each[id(heard)]

    async def hears_nothing_of(self, kind: type[object], seconds: float = 0.1) -> None:
        """Fails if the client says it within a moment."""
        await asyncio.sleep(seconds)
        assert not [thing for thing in self.heard if isinstance(thing, kind)]

    async def shake_hands(
        self, *, heartbeat: int = 0, frame_max: int = 131_072, channel_max: int = 2047, version: str = "3.10.8"
    ) -> None:
        """Let the client in."""
        await self.begin(version=version)
        self.say(commands.Connection.Tune(channel_max, frame_max, heartbeat))
        await self.hears(commands.Connection.TuneOk)
        await self.hears(commands.Connection.Open)
        self.say(commands.Connection.OpenOk())

    async def begin(self, **properties: Any) -> commands.Connection.StartOk:
        """The first half: who is there?"""
        assert await asyncio.wait_for(self._reader.readexactly(8), PATIENCE) == b"AMQP\x00\x00\x09\x01"
        self._task = asyncio.create_task(self._listen(), name="scripted server")
        told = {"product": "RabbitMQ", **properties}
        self.say(commands.Connection.Start(0, 9, told, "PLAIN AMQPLAIN", "en_US"))
        return await self.hears(commands.Connection.StartOk)

    async def ended(self) -> None:
        """Return when the client has hung up."""
        assert self._task is not None
        await asyncio.wait_for(asyncio.shield(self._task), PATIENCE)

    async def hung_up(self) -> bool:
        """Whether a client whose handshake was never begun has gone."""
        await asyncio.wait_for(self._reader.read(-1), PATIENCE)
        return self._reader.at_eof()

    async def close(self) -> None:
        self.cut()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _listen(self) -> None:
        with suppress(ConnectionError):
            while True:
                piece = await self._reader.read(65_536)
                if not piece:
                    return
                await self.reading.wait()
                self._received += piece
                await self._understand()

    async def _understand(self) -> None:
        while len(self._received) >= 7:
            try:
                used, channel, thing = frame.unmarshal(self._received)
            except UnmarshalingException:
                return
            self._received = self._received[used:]
            self._channels[type(thing)] = channel
            self._channel_of_each[id(thing)] = channel
            answer = self.answers.get(type(thing))
            if answer is not None:
                self.say(answer(thing), channel)
            await self._note(channel, thing, used)

    async def _note(self, channel: int, thing: object, size: int) -> None:
        if isinstance(thing, commands.Basic.Publish):
            self._half = Published(channel, thing, ContentHeader())
            return
        if isinstance(thing, ContentHeader | ContentBody):
            assert self._half is not None, "a message without its beginning"
            self._half.sizes += (size,)
            if isinstance(thing, ContentHeader):
                self._half.header = thing
            else:
                self._half.body += thing.value
            if len(self._half.body) < (self._half.header.body_size or 0):
                return
            thing, self._half = self._half, None
        async with self._news:
            self.heard.append(thing)
            self._news.notify_all()


class ScriptedServer:
    """Takes connections; each is a conversation of its own."""

    def __init__(self) -> None:
        self._arrived: asyncio.Queue[Conversation] = asyncio.Queue()
        self._all: list[Conversation] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for conversation in self._all:
            await conversation.close()

    def address(self, **more: Any) -> Address:
        """Where it is."""
        port = self._server.sockets[0].getsockname()[1]
        return Address(nodes=[("127.0.0.1", port)], **{"heartbeat": 0, "connection_timeout": PATIENCE, **more})

    async def next(self) -> Conversation:
        """The next client that connects."""
        return await asyncio.wait_for(self._arrived.get(), PATIENCE)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversation = Conversation(reader, writer)
        self._all.append(conversation)
        self._arrived.put_nowait(conversation)


__all__ = ["Conversation", "Heartbeat", "Published", "ScriptedServer"]
