"""A second connection to the file, which only reads: what takes long there does not hold up those who write."""

import asyncio
import threading
from pathlib import Path
from typing import Any, Generic, TypeVar

import apsw

from goatherd.adapters.sqlite.failures import in_our_words
from goatherd.adapters.sqlite.requests import Operation
from goatherd.errors import Unavailable

Result = TypeVar("Result")

#: Bytes of the file that are kept in memory from one look to the next.
_CACHE = 32 * 1024 * 1024
#: Milliseconds that it waits for those who make or mend the file.
_PATIENCE = 5000
#: Seconds after which a look that is to end is interrupted once more.
_ONCE_MORE = 0.02


class Look(Generic[Result]):
    """What somebody asks, as long as anybody wants to know it."""

    def __init__(self, operation: Operation[Result]) -> None:
        self.operation = operation
        self.unwanted = False


class Reader:
    """One look at a time; safe to use from any event loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # Held while the connection is used: a fork must not meet it open.
        self._using = threading.Lock()
        self._connection: apsw.Connection | None = None
        #: The one that is under way.
        self._look: Look[Any] | None = None

    async def read(self, operation: Operation[Result], deadline: float) -> Result:
        """Run it on a thread, in a transaction that sees one moment; raises Unavailable, by the deadline if need be."""
        look = Look(operation)
        looking = asyncio.ensure_future(asyncio.to_thread(self._read, look))
        try:
            done, _ = await asyncio.wait({looking}, timeout=deadline)
        except asyncio.CancelledError:
            await self._give_up(look, looking)
            raise
        if not done:
            await self._give_up(look, looking)
            told = f"The file {self._path} did not answer within {deadline:g} s; look for less, or try again later."
            raise Unavailable(told)
        return looking.result()

    async def _give_up(self, look: "Look[Result]", looking: "asyncio.Future[Result]") -> None:
        """Stop it, and nobody else's; one that waits for its turn ends when that comes, which nobody waits for."""
        look.unwanted = True
        looking.add_done_callback(_heed)
        while look is self._look and not looking.done():
            # Between two statements there is nothing to interrupt, so once may not be enough.
            self._interrupt()
            await asyncio.wait({looking}, timeout=_ONCE_MORE)

    def close(self) -> None:
        """Let go of the file; the next look opens it again."""
        with self._using:
            self._let_go()

    # --- around a fork ----------------------------------------------------------------------------

    def rest(self) -> None:
        """Finish what is under way and let go of the file, until `go_on`."""
        self._using.acquire()
        self._let_go()

    def go_on(self) -> None:
        """In the parent, after the fork."""
        self._using.release()

    def forget(self) -> None:
        """In the child, where nothing is under way."""
        self._using = threading.Lock()

    def _read(self, look: "Look[Result]") -> Result:
        with self._using:
            if look.unwanted:
                raise Unavailable(f"Nobody waits for this look at {self._path} any more.")
            self._look = look
            try:
                connection = self._connection = self._connection or self._connect()
                connection.execute("BEGIN")
                try:
                    return look.operation(connection)
                finally:
                    connection.execute("ROLLBACK")
            except apsw.Error as error:
                raise in_our_words(error, self._path) from error
            finally:
                self._look = None

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(_PATIENCE)
        # Not opened for reading alone, which could not recover what a process that was killed has left behind.
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA cache_size = {-_CACHE // 1024}")
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        return connection

    def _interrupt(self) -> None:
        connection = self._connection
        if connection is not None:
            connection.interrupt()

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()


def _heed(looking: "asyncio.Future[Any]") -> None:
    """Why a look has failed for which nobody waits is of no interest to anybody."""
    if not looking.cancelled():
        looking.exception()
