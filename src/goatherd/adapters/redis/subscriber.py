"""Everything that one client waits for: one connection, however many channels are watched.

The server forgets who listens when a connection is lost, and what it said meanwhile is lost too. So the connection is
made again for as long as it is wanted, everything is subscribed to anew, and every watcher is called once.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import ResponseError

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.connection import ANSWER_DEADLINE, close, opened
from goatherd.adapters.redis.failures import LOST, away, pause_before

#: Seconds of silence after which the server is asked for a sign of life, and after as many again it is given up.
SIGN_OF_LIFE_EVERY = 5.0

log = logging.getLogger("goatherd.redis")

#: What a message tells.
T = TypeVar("T")


class RedisWatch(Generic[T]):
    """Satisfies `Watch` and `Subscription`; called with nothing when something may have been missed."""

    def __init__(self, subscriber: "Subscriber[T]", channel: bytes, wake: Callable[[Sequence[T]], None]) -> None:
        self._subscriber = subscriber
        self.channel = channel
        self.wake = wake

    async def stop(self) -> None:
        """See `Watch.stop`."""
        await self._subscriber.drop(self)


class Channel(Generic[T]):
    """The watchers of one channel."""

    def __init__(self) -> None:
        self.watches: list[RedisWatch[T]] = []
        self.subscribed = asyncio.Event()
        #: Whether something may have been said while nobody listened.
        self.missed = False


class Subscriber(Generic[T]):
    """The watches of one client; `read` tells what a message says."""

    def __init__(self, address: Address, deadline: float, read: Callable[[bytes], Sequence[T]]) -> None:
        self._address = address
        self._deadline = deadline
        self._read = read
        self._channels: dict[bytes, Channel[T]] = {}
        #: Subscriptions that the server has not confirmed on this connection.
        self._unconfirmed: Counter[bytes] = Counter()
        self._connection: AbstractConnection | None = None
        self._failure: BaseException | None = None
        self._failures = 0
        self._task: asyncio.Task[None] | None = None

    async def add(self, name: str, wake: Callable[[Sequence[T]], None]) -> RedisWatch[T]:
        """Wait for what is said on a channel; returns when the server has confirmed it."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="goatherd redis subscriber")
        watch = RedisWatch(self, name.encode(), wake)
        channel = self._channels.setdefault(watch.channel, Channel())
        channel.watches.append(watch)
        try:
            async with asyncio.timeout(self._deadline):
                if len(channel.watches) == 1:
                    await self._send("SUBSCRIBE", watch.channel)
                await channel.subscribed.wait()
        except TimeoutError as error:
            await self.drop(watch)
            raise away(self._failure, self._address) from self._failure or error
        except BaseException:
            await self.drop(watch)
            raise
        return watch

    async def drop(self, watch: RedisWatch[T]) -> None:
        """Wait no more."""
        channel = self._channels.get(watch.channel)
        if channel is None or watch not in channel.watches:
            return
        channel.watches.remove(watch)
        if not channel.watches:
            del self._channels[watch.channel]
            await self._send("UNSUBSCRIBE", watch.channel)

    async def close(self) -> None:
        """Wait for nothing any more."""
        task, self._task = self._task, None
        self._channels.clear()
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _send(self, command: str, *channels: bytes) -> None:
        """Send it, if there is a connection; if there is none, the next one begins with all that is wanted then."""
        connection = self._connection
        if connection is None or not connection.is_connected:
            return
        if command == "SUBSCRIBE":
            self._unconfirmed.update(channels)
        try:
            async with asyncio.timeout(ANSWER_DEADLINE):
                await connection.send_packed_command(connection.pack_command(command, *channels), check_health=False)
        except LOST:
            # Whoever listens notices it too, and makes a new one.
            return

    async def _run(self) -> None:
        while True:
            try:
                await self._listen()
            except (*LOST, ResponseError) as error:
                if self._failures == 0:
                    log.warning("The connection for live events to %s was lost: %s", self._address, error)
                self._failure = error
            await pause_before(self._failures)
            self._failures += 1

    async def _listen(self) -> None:
        connection = await opened(self._address, "goatherd-live")
        self._connection = connection
        try:
            if self._channels:
                await self._send("SUBSCRIBE", *self._channels)
            if self._failures:
                log.warning("The connection for live events to %s is back", self._address)
            self._failure, self._failures = None, 0
            await self._hear_all(connection)
        finally:
            self._connection = None
            self._unconfirmed.clear()
            for channel in self._channels.values():
                channel.subscribed.clear()
                channel.missed = True
            await close(connection)

    async def _hear_all(self, connection: AbstractConnection) -> None:
        asked = False
        while True:
            heard = await connection.read_response(timeout=SIGN_OF_LIFE_EVERY, disconnect_on_error=False)
            if heard is not None:
                asked = False
                self._hear(heard)
            elif asked:
                raise LostConnection(f"it has been silent for {2 * SIGN_OF_LIFE_EVERY:g} s")
            else:
                asked = True
                await self._send("PING")

    def _hear(self, heard: Any) -> None:
        match heard:
            case [b"message", bytes(name), bytes(message)] if name in self._channels:
                told = self._read(message)
                for watch in tuple(self._channels[name].watches):
                    watch.wake(told)
            case [b"subscribe", bytes(name), _]:
                self._confirmed(name)

    def _confirmed(self, name: bytes) -> None:
        self._unconfirmed[name] -= 1
        if self._unconfirmed[name] > 0:
            # An earlier one, which has been taken back meanwhile.
            return
        del self._unconfirmed[name]
        channel = self._channels.get(name)
        if channel is None:
            return
        channel.subscribed.set()
        if channel.missed:
            channel.missed = False
            for watch in tuple(channel.watches):
                watch.wake(())
