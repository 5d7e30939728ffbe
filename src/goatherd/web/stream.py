"""Write one client's stream: one coroutine, which waits for events and writes them."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from goatherd.engine.ring import Batch
from goatherd.errors import GoatherdError, UnknownJob
from goatherd.model.event import Entry
from goatherd.model.reading import Reading
from goatherd.ports.clock import Clock
from goatherd.ports.tracer import Span
from goatherd.web.asgi import Headers, Line, Receive, Send
from goatherd.web.beginning import Beginning
from goatherd.web.crowd import Client, Crowd
from goatherd.web.encoding import Encoding
from goatherd.web.frame import as_stream, frame
from goatherd.web.metrics import GatewayMetrics
from goatherd.web.translation import Translation

HEADERS: Headers = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store, no-transform"),
    (b"x-accel-buffering", b"no"),
    (b"referrer-policy", b"no-referrer"),
]
#: Milliseconds after which a browser comes back by itself, and between which it is spread when it is sent away.
RETRY = 2000
RETRY_SPREAD = (500, 2500)
#: Bytes that are written at a time: a client that reads nothing makes us keep little more.
PIECE = 80 * 1024
#: What cannot wait in the server, so that one who asks whether somebody is there is not kept waiting himself.
MOST_MESSAGES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How the clients of a job want their streams."""

    keepalive: float
    in_comments: bool
    encoding: Encoding | Translation


class Stream:
    """One client's stream; an answer that takes long."""

    # There are as many as there are connections, so each is kept small.
    __slots__ = (
        "_beginning", "_client", "_clock", "_crowd", "_heard_events", "_metrics", "_receive", "_send", "_wishes",
        "began", "begin_span", "line",
    )  # fmt: skip

    def __init__(
        self, client: Client, beginning: Beginning, crowd: Crowd, metrics: GatewayMetrics, clock: Clock, wishes: Wishes
    ) -> None:
        self._client = client
        self._beginning: Beginning | None = beginning
        self._crowd = crowd
        self._metrics = metrics
        self._clock = clock
        self._wishes = wishes
        self._heard_events = False
        #: When it was asked for, by the loop's clock.
        self.began = crowd.now
        #: The connection itself, where the server lets us see it.
        self.line: Line | None = None
        #: Makes it seen in the job's trace, where anybody wants traces.
        self.begin_span: Callable[[], Awaitable[Span | None]] | None = None

    async def send(self, headers: Headers, receive: Receive, send: Send) -> None:
        """Write until the job has ended, the client has left or its time is over."""
        self._receive, self._send = receive, send
        client = self._client
        headers = [*HEADERS, *self._wishes.encoding.headers, *headers]
        span: Span | None = None
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._open()
            self._metrics.first_bytes(client.follower.hub.loop.time() - self.began)
            if self.begin_span is not None:
                # To find the trace takes a question to the store, for which no client waits.
                span = await self.begin_span()
            await self._follow()
        except GoatherdError as error:
            # The log is gone, and whoever comes back is told what the history knows; or the app was closed.
            await self._send_away("gone" if isinstance(error, UnknownJob) else "drain")
        except OSError:
            # So some servers say that the client is gone; others say nothing, and `_is_gone` finds out.
            return
        except asyncio.CancelledError:
            if not client.cut_off or client.task is None:
                raise
            client.task.uncancel()
        finally:
            if span is not None:
                span.end()
            await client.follower.stop()
            self._crowd.leave(client)
            self._crowd.dismiss(client.subject)

    async def _open(self) -> None:
        beginning, follower = self._beginning, self._client.follower
        assert beginning is not None, "a stream is sent once"
        position = follower.position
        first = follower.ready()
        body = b"" if first is None else self._encode(first)
        if beginning.mode == "snapshot":
            position = follower.position
        # While a client reads slowly, only what all share is kept for it.
        self._beginning = first = None
        place = position if position.seq else "earliest"
        head = self._wishes.encoding.head(RETRY, beginning.mode, place) + as_stream(beginning.frames)
        if len(body) <= PIECE:
            await self._say(head + body, last=self._ends)
        else:
            await self._say(head)
            await self._say(body, last=self._ends)

    async def _follow(self) -> None:
        client, crowd, metrics, encoding = self._client, self._crowd, self._metrics, self._wishes.encoding
        follower, send, line, counts = client.follower, self._send, self.line, client.counts
        while not follower.ended and not encoding.over:
            told = await follower.next()
            if type(told) is Batch:
                # The same as below, written out: this happens for every event and every client.
                metrics.distributed += len(told)
                counts.events += len(told)
                self._heard_events = True
                body = encoding.of_batch(told)
                if len(body) <= PIECE:
                    goes_on = not self._ends
                    if line is not None and goes_on and line.offer(encoding.chunked(told, body)):
                        client.spoke_at = crowd.now
                        continue
                    client.sending_since = crowd.now
                    await send({"type": "http.response.body", "body": body, "more_body": goes_on})
                    client.sending_since = None
                    client.spoke_at = crowd.now
                    continue
            elif told:
                body = self._encode(told)
            elif await self._is_over():
                return
            else:
                continue
            # Handed on for good, for a whole text may be in it, and the client may take long.
            del told
            await self._say(body, last=self._ends)

    @property
    def _ends(self) -> bool:
        """Whether nothing more can be said after what is said now."""
        return self._client.follower.ended or self._wishes.encoding.over

    def _encode(self, told: Reading | Sequence[Entry]) -> bytes:
        if not isinstance(told, Reading):
            self._metrics.distributed += len(told)
            self._client.counts.events += len(told)
            self._heard_events = True
        elif self._beginning is None:
            self._metrics.resyncs["slow"] += 1
        return self._wishes.encoding.of(told)

    async def _is_over(self) -> bool:
        """Do what is due; true if that was the end."""
        client, now = self._client, self._crowd.now
        if now >= client.ends_at:
            await self._send_away(client.reason)
            return True
        if now >= client.look_at:
            if await self._is_gone():
                return True
            if now - client.spoke_at >= self._wishes.keepalive / 2:
                await self._say(self._keepalive())
            client.look_at = now + self._wishes.keepalive
        return False

    def _keepalive(self) -> bytes:
        if self._wishes.in_comments:
            return self._wishes.encoding.comment
        # A comment is invisible to a page; this one lets it notice that the line is dead, and where it should be.
        seq = self._client.follower.position.seq
        return frame("keepalive", type="keepalive", timestamp=self._clock.now(), seq=seq).sse

    async def _send_away(self, reason: str) -> None:
        told = self._wishes.encoding.farewell(reason, self._heard_events)
        await self._say(f"retry: {random.randint(*RETRY_SPREAD)}\n".encode() + told, last=True)

    async def _say(self, body: bytes, *, last: bool = False) -> None:
        client = self._client
        client.sending_since = self._crowd.now
        if len(body) <= PIECE:
            await self._send({"type": "http.response.body", "body": body, "more_body": not last})
        else:
            await self._say_in_pieces(body, last=last)
        client.sending_since = None
        client.spoke_at = self._crowd.now

    async def _say_in_pieces(self, body: bytes, *, last: bool) -> None:
        for start in range(0, len(body), PIECE):
            piece = body[start : start + PIECE]
            more = not last or start + PIECE < len(body)
            self._client.sending_since = self._crowd.now
            await self._send({"type": "http.response.body", "body": piece, "more_body": more})

    async def _is_gone(self) -> bool:
        """Whether the client has hung up.

        Not every server raises when one writes to such a client: uvicorn goes on in silence, and tells it only to one
        who waits for the next message. To wait would take a second task for each connection, which costs more memory
        than all the rest of it; so we ask now and then, as often as a keepalive is due.
        """
        try:
            async with asyncio.timeout(0):
                for _ in range(MOST_MESSAGES):
                    if (await self._receive())["type"] == "http.disconnect":
                        return True
        except TimeoutError:
            return False
        return False
