"""Wake-ups through LISTEN and NOTIFY. All of them may be lost: whoever waits looks for itself now and then."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence

import msgspec
import psycopg

from goatherd.adapters.postgres.connection import Connection, close, connected, sever
from goatherd.adapters.postgres.failures import away, pause_before
from goatherd.adapters.postgres.pool import Pool
from goatherd.errors import Unavailable

log = logging.getLogger("goatherd.postgres")

#: Seconds after which a silent connection must show that it lives, and within which it must.
SIGN_OF_LIFE_EVERY, ANSWER_DEADLINE = 20.0, 5.0
#: Seconds between two rings of one process: what comes meanwhile is told by the second.
RING_PAUSE = 0.01
#: The server takes 8000 bytes at most; without names all are meant.
_LONGEST = 7900

_decode = msgspec.json.Decoder(list[str]).decode


class PostgresWatch:
    """Satisfies `Subscription`."""

    def __init__(self, bell: "Bell", queues: Sequence[str], wake: Callable[[], None]) -> None:
        self._bell = bell
        self.queues = frozenset(queues)
        self.wake = wake

    async def stop(self) -> None:
        self._bell.drop(self)


class Bell:
    """Rings for the others, and listens for them, with one connection that is made for the first who watches."""

    def __init__(self, pool: Pool, app: str, deadline: float) -> None:
        self._pool = pool
        # Names of channels have 63 bytes at most.
        self._channel = f"goatherd_lanes_{hashlib.sha256(app.encode()).hexdigest()[:32]}"
        self._deadline = deadline
        self._watches: list[PostgresWatch] = []
        self._listens = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._to_ring: set[str] = set()
        self._ringing: asyncio.Task[None] | None = None
        self._closed = False

    def ring(self, queues: Iterable[str]) -> None:
        """Tell all who watch these queues, soon; does not wait."""
        self._to_ring.update(queues)
        if self._to_ring and self._ringing is None and not self._closed:
            self._ringing = asyncio.create_task(self._ring_all(), name="goatherd postgres bell")

    async def add(self, queues: Sequence[str], wake: Callable[[], None]) -> PostgresWatch:
        """Watch these queues; returns when the server knows; raises Unavailable."""
        if self._listening is None and not self._closed:
            self._listening = asyncio.create_task(self._listen_always(), name="goatherd postgres listener")
        watch = PostgresWatch(self, queues, wake)
        self._watches.append(watch)
        try:
            async with asyncio.timeout(self._deadline):
                await self._listens.wait()
        except TimeoutError as error:
            self.drop(watch)
            raise away(self._failure, self._pool.address) from self._failure or error
        except BaseException:
            self.drop(watch)
            raise
        return watch

    def drop(self, watch: PostgresWatch) -> None:
        """Watch no more."""
        if watch in self._watches:
            self._watches.remove(watch)

    async def close(self) -> None:
        """Ring and listen no more. Idempotent."""
        self._closed = True
        self._watches.clear()
        tasks = [task for task in (self._listening, self._ringing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- to ring ------------------------------------------------------------------------------------

    async def _ring_all(self) -> None:
        try:
            while self._to_ring:
                told = msgspec.json.encode(sorted(self._to_ring)).decode()
                self._to_ring.clear()
                # In a transaction of its own, because all that ring take turns when they commit; and nothing waits for
                # the disk, because nothing is written.
                await self._pool.run(
                    "SELECT set_config('synchronous_commit', 'off', true), pg_notify(%s, %s)",
                    (self._channel, told if len(told.encode()) <= _LONGEST else ""),
                )
                await asyncio.sleep(RING_PAUSE)
        except Unavailable as error:
            log.warning("Workers were not called, and come by themselves: %s", error)
        finally:
            self._ringing = None

    # --- to listen ----------------------------------------------------------------------------------

    async def _listen_always(self) -> None:
        failures = 0
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError, TimeoutError) as error:
                if failures == 0 or self._listens.is_set():
                    log.warning("The connection that listens to %s was lost: %s", self._pool.address, error)
                self._failure = error
            failures = 0 if self._listens.is_set() else failures + 1
            self._listens.clear()
            await pause_before(failures)

    async def _listen(self) -> None:
        async with asyncio.timeout(self._pool.address.connection_timeout + ANSWER_DEADLINE):
            connection = await connected(self._pool.address, "listens", self._deadline)
        try:
            await _said(connection, f'LISTEN "{self._channel}"')
            self._listens.set()
            if self._failure is not None:
                # What was told meanwhile was not heard.
                self._failure = None
                self._hear("")
            while True:
                async for heard in connection.notifies(timeout=SIGN_OF_LIFE_EVERY):
                    self._hear(heard.payload)
                await _said(connection, "SELECT 1")
        finally:
            sever(connection)
            await close(connection)

    def _hear(self, told: str) -> None:
        try:
            queues = frozenset(_decode(told)) if told else None
        except msgspec.DecodeError:
            # Of another program; looking costs little.
            queues = None
        for watch in tuple(self._watches):
            if queues is None or watch.queues & queues:
                watch.wake()


async def _said(connection: Connection, sql: str) -> None:
    """Run a statement in time, or cut the connection."""
    timer = asyncio.get_running_loop().call_later(ANSWER_DEADLINE, sever, connection)
    try:
        await connection.execute(sql.encode())
    finally:
        timer.cancel()
