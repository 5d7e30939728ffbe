"""One TCP connection to the broker, from its handshake to its loss. It is never used again after that."""

import asyncio
import logging
import ssl
from collections.abc import Callable
from typing import Any, cast

from pamqp import commands, frame
from pamqp.base import Frame

from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.channel import ANSWER_DEADLINE, Channel
from goatherd.adapters.rabbitmq.failures import ConnectionRefused, LinkFailed, LinkLost, ProtocolBroken, TlsFailed
from goatherd.adapters.rabbitmq.wire import HEARTBEAT_FRAME, Cold, Confirm, Content, Decoder

#: Frames larger than this are refused before the broker has said how large they may be.
FIRST_LARGEST_FRAME = 131_072
#: Bytes in the write buffer above which senders wait, and below which they go on.
FULL_BUFFER, DRAINED_BUFFER = 1 << 20, 1 << 18
#: Channels that there may be if the broker does not say otherwise.
MOST_CHANNELS = 2047
#: Channels that are kept open for questions.
MOST_SPARE = 8

log = logging.getLogger("goatherd.rabbitmq")


class Connection(asyncio.Protocol):
    """Speaks AMQP; hands what arrives to its channels and tells once when it is over."""

    def __init__(self, address: Address, name: str) -> None:
        self._address = address
        self._name = name
        self._loop = asyncio.get_running_loop()
        self._decoder = Decoder(FIRST_LARGEST_FRAME)
        self._channels: dict[int, Channel] = {}
        #: Open channels that nobody uses, for the next question.
        self._spare: list[Channel] = []
        self._out: list[bytes] = []
        self._flushing = False
        self._transport: asyncio.Transport | None = None
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._beat: asyncio.TimerHandle | None = None
        self._last_heard = self._last_sent = self._loop.time()
        self._heartbeat = 0
        self._most_channels = MOST_CHANNELS
        self.lost: asyncio.Future[LinkFailed] = self._loop.create_future()
        self.writable = asyncio.Event()
        self.writable.set()
        self.largest_frame = FIRST_LARGEST_FRAME
        self.server: dict[str, Any] = {}
        self.blocked: str | None = None
        self.on_blocked: Callable[[str | None], None] = lambda _reason: None

    # --- opening and closing ----------------------------------------------------------------------

    async def ready(self) -> None:
        """Return when the handshake is done; raises LinkFailed."""
        await asyncio.shield(self._ready)

    async def open_channel(self, deadline: float = ANSWER_DEADLINE) -> "Channel":
        """A fresh channel; raises LinkFailed."""
        if self.lost.done():
            raise self.lost.result()
        number = next((number for number in range(1, self._most_channels + 1) if number not in self._channels), None)
        if number is None:
            raise LinkLost(f"all {self._most_channels} channels of the connection are in use")
        channel = Channel(self, number)
        self._channels[number] = channel
        await channel.ask(commands.Channel.Open(), deadline)
        return channel

    @property
    def most_channels(self) -> int:
        """How many channels both sides agreed on."""
        return self._most_channels

    async def lend_channel(self) -> "Channel":
        """A channel for questions that leave nothing behind; to be given back if it has not failed."""
        while self._spare:
            channel = self._spare.pop()
            if channel.failed is None:
                return channel
        return await self.open_channel()

    async def take_back(self, channel: "Channel") -> None:
        """A channel that was lent is free again."""
        if len(self._spare) < MOST_SPARE:
            self._spare.append(channel)
        else:
            await channel.close()

    def forget(self, channel: int) -> None:
        """A channel has been closed by both sides; its number may be used again."""
        self._channels.pop(channel, None)

    async def close(self, deadline: float = 2.0) -> None:
        """Say farewell; after the deadline just hang up. Idempotent."""
        if not self.lost.done():
            self.send(frame.marshal(commands.Connection.Close(200, "bye", 0, 0), 0))
            await asyncio.wait([self.lost], timeout=deadline)
        self.fail(LinkLost("closed by us"))

    # --- out --------------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Write it with everything else of this turn of the loop."""
        self._out.append(data)
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = False
        # The transport of uvloop raises once it is closed; the loss itself is told by connection_lost.
        if self._transport is not None and not self._transport.is_closing() and self._out:
            self._last_sent = self._loop.time()
            self._transport.write(b"".join(self._out))
        self._out.clear()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    # --- in ---------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other event loops, such as uvloop, have transports that are no subclass of asyncio's.
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(FULL_BUFFER, DRAINED_BUFFER)
        self._transport.write(b"AMQP\x00\x00\x09\x01")

    def data_received(self, data: bytes) -> None:
        self._last_heard = self._loop.time()
        try:
            if not self._ready.done():
                _refuse_other_protocols(data)
            events = self._decoder.feed(data)
            self._dispatch(events)
        except LinkFailed as error:
            self.fail(error)

    def connection_lost(self, exc: Exception | None) -> None:
        if isinstance(exc, ssl.SSLError):
            self.fail(TlsFailed(str(exc)))
        else:
            self.fail(LinkLost(str(exc) if exc is not None else "the broker closed the connection"))

    def fail(self, error: LinkFailed) -> None:
        """It is over: tell everyone who waits, once."""
        if self.lost.done():
            return
        self.lost.set_result(error)
        if not self._ready.done():
            self._ready.set_exception(error)
            self._ready.exception()
        if self._beat is not None:
            self._beat.cancel()
        self.writable.set()
        for channel in list(self._channels.values()):
            channel.fail(error)
        self._channels.clear()
        if self._transport is not None:
            self._transport.abort()

    def _dispatch(self, events: list[Content | Confirm | Cold]) -> None:
        contents: dict[int, list[Content]] = {}
        for event in events:
            if type(event) is Content:
                contents.setdefault(event.channel, []).append(event)
                continue
            if contents:
                self._hand_over(contents)
                contents = {}
            if type(event) is Confirm:
                channel = self._channels.get(event.channel)
                if channel is not None:
                    channel.confirmed(event)
            elif type(event) is Cold:
                self._cold(event)
        if contents:
            self._hand_over(contents)

    def _hand_over(self, contents: dict[int, list[Content]]) -> None:
        for number, batch in contents.items():
            channel = self._channels.get(number)
            if channel is not None:
                channel.received(batch)

    def _cold(self, event: Cold) -> None:
        try:
            _, number, method = frame.unmarshal(event.frame)
        except Exception as error:
            raise ProtocolBroken(f"a frame that cannot be read: {error}") from error
        if number:
            channel = self._channels.get(number)
            if channel is not None:
                channel.method(method)
        elif isinstance(method, Frame):
            self._connection_method(method)

    def _connection_method(self, method: Frame) -> None:
        match method:
            case commands.Connection.Start():
                self.server = dict(method.server_properties or {})
                self._answer_start()
            case commands.Connection.Tune():
                self._answer_tune(method)
            case commands.Connection.OpenOk():
                self._keep_alive()
                self._ready.set_result(None)
            case commands.Connection.Blocked():
                self._set_blocked(method.reason or "no reason given")
            case commands.Connection.Unblocked():
                self._set_blocked(None)
            case commands.Connection.Close():
                self.send(frame.marshal(commands.Connection.CloseOk(), 0))
                self._flush()
                self.fail(self._refusal(method))
            case commands.Connection.CloseOk():
                self.fail(LinkLost("closed by us"))

    def _refusal(self, method: commands.Connection.Close) -> LinkFailed:
        code, text = method.reply_code or 0, str(method.reply_text or "")
        return LinkLost(f"{code} {text}") if self._ready.done() else ConnectionRefused(code, text)

    def _answer_start(self) -> None:
        capabilities = {
            "publisher_confirms": True, "basic.nack": True, "consumer_cancel_notify": True,
            "connection.blocked": True, "authentication_failure_close": True,
        }  # fmt: skip
        told: dict[str, Any] = {"product": "goatherd", "connection_name": self._name, "capabilities": capabilities}
        secret = f"\0{self._address.user}\0{self._address.password}"
        self.send(frame.marshal(commands.Connection.StartOk(told, "PLAIN", secret, "en_US"), 0))

    def _answer_tune(self, tune: commands.Connection.Tune) -> None:
        self.largest_frame = min(tune.frame_max or FIRST_LARGEST_FRAME, FIRST_LARGEST_FRAME)
        self._decoder.largest_frame = self.largest_frame
        self._most_channels = tune.channel_max or MOST_CHANNELS
        asked, wanted = tune.heartbeat or 0, self._address.heartbeat
        self._heartbeat = min(asked, wanted) if asked and wanted else max(asked, wanted)
        self.send(
            frame.marshal(commands.Connection.TuneOk(self._most_channels, self.largest_frame, self._heartbeat), 0)
        )
        self.send(frame.marshal(commands.Connection.Open(self._address.virtual_host), 0))

    def _set_blocked(self, reason: str | None) -> None:
        self.blocked = reason
        self.on_blocked(reason)

    def _keep_alive(self) -> None:
        if not self._heartbeat:
            return
        now = self._loop.time()
        if now - self._last_heard > 2 * self._heartbeat:
            self.fail(LinkLost(f"nothing was heard from the broker for {now - self._last_heard:.0f} s"))
            return
        if now - self._last_sent >= self._heartbeat / 2:
            self.send(HEARTBEAT_FRAME)
        self._beat = self._loop.call_later(self._heartbeat / 2, self._keep_alive)


def _refuse_other_protocols(data: bytes) -> None:
    """Raise ProtocolBroken for an answer that tells which other language is spoken."""
    if data.startswith(b"AMQP"):
        raise ProtocolBroken(f"it speaks another version of AMQP ({data[:8]!r})")
    if data.startswith(b"\x15\x03"):
        raise ProtocolBroken("it speaks TLS; write amqps:// instead of amqp://")
    if data.startswith(b"HTTP/"):
        raise ProtocolBroken("it speaks HTTP; perhaps this is the port of the management plugin")
