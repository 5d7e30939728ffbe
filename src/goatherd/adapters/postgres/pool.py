"""Connections that everybody in this process shares; what is asked is asked again on another when one is lost.

Not the driver's own pool: after a failed attempt to connect that one waits twice as long each time, and for everyone,
so that a server that was away for half a minute is found again half a minute late.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import psycopg

from goatherd.adapters.postgres.address import Address
from goatherd.adapters.postgres.connection import Connection, close, connected, sever
from goatherd.adapters.postgres.failures import away, in_our_words, passes, pause_before, refused, unknown_outcome
from goatherd.errors import Unavailable

log = logging.getLogger("goatherd.postgres")

#: Not done because of what others did; the connection is well.
_OF_OTHERS = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)

T = TypeVar("T")
Row: TypeAlias = tuple[Any, ...]


class Pool:
    """Used from one event loop. Every call ends by its deadline."""

    def __init__(self, address: Address, name: str, deadline: float, planning: str = "") -> None:
        self.address = address
        self._planning = planning
        self._name = name
        self._deadline = deadline
        self._idle: list[Connection] = []
        self._slots = asyncio.Semaphore(address.pool_size)
        self._busy: set[Connection] = set()
        self._failures = 0
        self._closed = False

    async def open(self) -> None:
        """Make the first connection; raises Unavailable or SettingsError."""
        try:
            async with asyncio.timeout(self.address.connection_timeout + 1):
                self._idle.append(await self._connect())
        except (psycopg.Error, OSError, TimeoutError) as error:
            raise refused(error, self.address) from error

    async def run(
        self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = (), *, again: bool = True
    ) -> list[Row]:
        """Run one statement, which is one transaction; gives its rows.

        With `again` it is run again when the connection was lost, so that it may be done twice.
        """

        async def ask(connection: Connection) -> list[Row]:
            cursor = connection.cursor(binary=True)
            await cursor.execute(sql, parameters, prepare=True)
            return await cursor.fetchall() if cursor.description is not None else []

        return await self.use(ask, again=again)

    async def use(self, work: Callable[[Connection], Awaitable[T]], *, again: bool = True) -> T:
        """Do something with a connection that is idle and in no transaction, and is left so; raises Unavailable."""
        end = asyncio.get_running_loop().time() + self._deadline
        failure: BaseException | None = None
        for attempt in range(1_000_000):
            try:
                async with asyncio.timeout_at(end):
                    if attempt:
                        await pause_before(attempt - 1)
                    connection = await self._take()
            except TimeoutError as error:
                raise away(failure, self.address) from failure or error
            except (psycopg.Error, OSError) as error:
                failure = self._lost(error)
                continue
            try:
                return await self._with(connection, work, end)
            except (psycopg.Error, OSError) as error:
                failure = error
                if not passes(error):
                    raise in_our_words(error, self.address) from error
                self._lost(error)
                if not again and not isinstance(error, _OF_OTHERS):
                    raise unknown_outcome(error, self.address) from error
        raise AssertionError("a deadline ends it long before")

    async def close(self) -> None:
        """Let go of every connection, also of those that are in use. Idempotent."""
        self._closed = True
        for connection in self._busy:
            sever(connection)
        idle, self._idle = self._idle, []
        for connection in idle:
            await close(connection)

    async def _take(self) -> Connection:
        if self._closed:
            raise Unavailable(f"{self.address} has been left by this program; open the app to use it again.")
        await self._slots.acquire()
        try:
            while self._idle:
                connection = self._idle.pop()
                if not connection.broken and not connection.closed:
                    return connection
            return await self._connect()
        except BaseException:
            self._slots.release()
            raise

    async def _with(self, connection: Connection, work: Callable[[Connection], Awaitable[T]], end: float) -> T:
        """In a task of its own: the driver would not let go of a frozen server when it is cancelled."""
        task = asyncio.ensure_future(_awaited(work(connection)))
        self._busy.add(connection)
        try:
            await asyncio.wait({task}, timeout=max(0.0, end - asyncio.get_running_loop().time()))
        finally:
            # Also when we are cancelled.
            if not task.done():
                sever(connection)
                await asyncio.gather(task, return_exceptions=True)
            self._busy.discard(connection)
            await self._give_back(connection)
            self._slots.release()
        result = task.result()
        self._recovered()
        return result

    async def _give_back(self, connection: Connection) -> None:
        usable = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        if usable and not connection.closed and not self._closed:
            self._idle.append(connection)
        else:
            await close(connection)

    async def _connect(self) -> Connection:
        return await connected(self.address, self._name, self._deadline, self._planning)

    def _lost(self, error: BaseException) -> BaseException:
        if isinstance(error, _OF_OTHERS):
            return error
        if self._failures == 0:
            log.warning("%s was lost: %s; it is tried again", self.address, error)
        self._failures += 1
        return error

    def _recovered(self) -> None:
        if self._failures:
            log.warning("%s is back", self.address)
        self._failures = 0


async def _awaited(work: Awaitable[T]) -> T:
    return await work
