"""One SQLite file: a writer thread that commits the work of many callers together.

Every operation is a function of the connection. Operations that wait at the same moment share one transaction,
so that one sync to disk serves them all; one that fails is undone alone, and the others are run again without it.
"""

import asyncio
import os
import random
import threading
import time
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar, cast

import apsw

from goatherd.adapters.sqlite.failures import in_our_words, of_the_system
from goatherd.adapters.sqlite.reader import Reader
from goatherd.adapters.sqlite.requests import After, Operation, Request, answer_all, take_batch
from goatherd.adapters.sqlite.schema import migrate
from goatherd.errors import Unavailable

Result = TypeVar("Result")

#: Seconds a lock may be held by others before a write is given up as Unavailable.
LOCK_DEADLINE = 10.0


class Database:
    """The file; safe to use from any thread and any event loop."""

    def __init__(self, path: Path) -> None:
        self.path = path
        #: For what may take long, and is not to hold up those who write.
        self.reader = Reader(path)
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        # Whoever asks is either served before the thread ends or told that it has ended, never left waiting.
        self._asking = threading.Lock()
        self._connection: apsw.Connection | None = None
        # Held while the connection is used: a fork must not meet it open.
        self._using = threading.Lock()
        self._synchronous = ""

    def open(self) -> None:
        """Open or make the file; raises Unavailable or SettingsError."""
        try:
            make_folder(self.path.parent)
            self._connection = self._connect()
        except apsw.Error as error:
            raise in_our_words(error, self.path) from error
        except OSError as error:
            raise of_the_system(error, self.path) from error
        self._thread = threading.Thread(target=self._run, name=f"goatherd-sqlite-{self.path.name}", daemon=True)
        self._thread.start()

    async def write(self, operation: Operation[Result], *, durable: bool = True, after: After | None = None) -> Result:
        """Run it in a transaction; when it returns, the transaction is committed.

        With `durable=False` it also survives the death of every process, but a power cut may undo it. `after` is
        called with the result on the writer thread, as soon as it is committed.
        """
        return await self.begin_write(operation, durable=durable, after=after)

    def begin_write(
        self, operation: Operation[Result], *, durable: bool = True, after: After | None = None
    ) -> "asyncio.Future[Result]":
        """The same for whoever does not wait; raises Unavailable if the file is closed."""
        return self._ask(Request(operation, writes=True, durable=durable, after=after))

    async def read(self, operation: Operation[Result]) -> Result:
        """Run it outside of any transaction of its own; it must not write."""
        return cast(Result, await self._ask(Request(operation, writes=False)))

    def post(self, request: Request) -> None:
        """Run it some time soon, for callers without an event loop; a failure is logged."""
        with self._asking:
            if self._thread is None:
                raise Unavailable(
                    f"The file {self.path} has been closed by this program; open the app to use it again."
                )
            self._requests.put(request)

    def close(self) -> None:
        """Finish what was asked for and let go of the file. Idempotent."""
        with self._asking:
            thread, self._thread = self._thread, None
            if thread is None:
                return
            self._requests.put(None)
        thread.join()
        self.reader.close()

    # --- around a fork: SQLite's locks stay with the parent, and a child that shares its connection has none ----

    def rest(self) -> None:
        """Finish what is under way and let go of the file, until `go_on`; the next operation opens it again."""
        self.reader.rest()
        self._using.acquire()
        if self._connection is not None:
            # It is opened again at once, so there is no use in tidying up.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._connection.close()
            self._connection = None
            self._synchronous = ""

    def go_on(self) -> None:
        """In the parent, after the fork."""
        self._using.release()
        self.reader.go_on()

    def forget(self) -> None:
        """In the child, which has no writer thread: be closed."""
        self._asking, self._using = threading.Lock(), threading.Lock()
        self._thread = None
        self.reader.forget()

    def _ask(self, request: Request) -> "asyncio.Future[Any]":
        request.answer = asyncio.get_running_loop().create_future()
        self.post(request)
        return request.answer

    def _connect(self) -> apsw.Connection:
        patience = _Patience(LOCK_DEADLINE)
        for tries in count():
            try:
                return self._connect_once()
            except apsw.BusyError:
                # While others make the file, or take it down as the last one, SQLite does not ask for our patience.
                if not patience(tries):
                    raise
        raise AssertionError("patience ends, counting does not")

    def _connect_once(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        try:
            connection.set_busy_handler(_Patience(LOCK_DEADLINE))
            if connection.readonly("main"):
                raise apsw.ReadOnlyError(str(self.path))
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA foreign_keys = ON")
            # Otherwise many statements are planned anew for each set of values, which costs more than running them.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            self._synchronous = ""
            self._synchronise(connection, "FULL")
            migrate(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _run(self) -> None:
        open_for_more = True
        while open_for_more:
            batch, open_for_more = take_batch(self._requests)
            with self._using:
                self._serve(batch)
            answer_all(batch)
        with self._using:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _serve(self, batch: list[Request]) -> None:
        try:
            connection = self._connection = self._connection or self._connect()
        except Exception as error:  # noqa: BLE001 - told to whoever asked
            for request in batch:
                request.error = self._explained(error)
            return
        writers = [request for request in batch if request.writes]
        if writers:
            self._write(connection, writers)
        for request in batch:
            if not request.writes:
                self._read(connection, request)

    def _write(self, connection: apsw.Connection, writers: list[Request]) -> None:
        try:
            self._commit(connection, writers)
        except apsw.BusyError as error:
            # Nobody's own fault, and each of them alone would wait as long again.
            for request in writers:
                request.error = self._explained(error)
        except Exception as error:  # noqa: BLE001 - told to whoever asked
            if len(writers) == 1:
                writers[0].error = self._explained(error)
                return
            for request in writers:
                self._write(connection, [request])

    def _read(self, connection: apsw.Connection, request: Request) -> None:
        try:
            request.result = request.operation(connection)
        except Exception as error:  # noqa: BLE001 - told to whoever asked
            request.error = self._explained(error)

    def _commit(self, connection: apsw.Connection, requests: list[Request]) -> None:
        self._synchronise(connection, "FULL" if any(request.durable for request in requests) else "NORMAL")
        connection.execute("BEGIN IMMEDIATE")
        try:
            for request in requests:
                request.result = request.operation(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _synchronise(self, connection: apsw.Connection, level: str) -> None:
        if self._synchronous != level:
            connection.execute(f"PRAGMA synchronous = {level}")
            self._synchronous = level

    def _explained(self, error: Exception) -> Exception:
        if not isinstance(error, apsw.Error):
            return error
        explained = in_our_words(error, self.path)
        explained.__cause__ = error
        return explained


class _Patience:
    """Wait for a lock in short random naps: with SQLite's own growing naps, one of several processes starves."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._since = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._since = now
        if now - self._since > self._deadline:
            return False
        time.sleep(random.uniform(0.0003, 0.0015))
        return True


def make_folder(folder: Path) -> None:
    """Make the folder for our file; the default `.goatherd` keeps itself out of version control."""
    if folder.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    if folder.name == ".goatherd":
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def same_file(path: Path) -> str:
    """One name for one file, however it is spelled."""
    return os.path.realpath(path)
