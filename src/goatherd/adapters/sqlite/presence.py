"""One worker's place in the file: registered, heard of regularly, and cleared away by others when it is gone."""

import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.doorbell import Doorbell, Ringer, address_for
from goatherd.adapters.sqlite.ledger import DeadLedger, Ledger
from goatherd.adapters.sqlite.queries import bells, rows, run
from goatherd.adapters.sqlite.requests import Request
from goatherd.errors import Unavailable

#: Seconds between two looks for dead workers; a look costs some microseconds for each worker.
LOOK_EVERY = 1.0

log = logging.getLogger("goatherd.sqlite")


class Presence:
    """This process as a worker, with an id that is never given to another."""

    def __init__(self, database: Database, ringer: Ringer, lease: float) -> None:
        self._database = database
        self._ringer = ringer
        self._lease = lease
        self._folder = database.path.with_name(database.path.name + ".d")
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.id = 0
        self.ledger: Ledger
        self.doorbell: Doorbell

    async def join(self) -> None:
        """Register under a new id, and clear away the dead."""
        name = uuid4().hex
        self._folder.mkdir(exist_ok=True)
        # The lock is held before anyone can read the name, so a worker is never seen without it.
        self.ledger = Ledger(self._folder / f"{name}.run")
        address = address_for(self._folder, name)
        self.doorbell = Doorbell(address)

        def register(connection: apsw.Connection) -> int:
            row = {"name": name, "host": socket.gethostname(), "pid": os.getpid(), "doorbell": address}
            run(connection, "register", {**row, "now": time.time()})
            worker = connection.last_insert_rowid()
            run(connection, "release_orphans")
            return worker

        self.id = await self._database.write(register, durable=False)
        await self._database.read(self._look_for_the_dead)
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep_alive, name="goatherd-heartbeat", daemon=True)
            self._thread.start()

    async def leave(self) -> None:
        """Hand back what is still claimed and sign off."""
        self.stop_beating()

        def sign_off(connection: apsw.Connection) -> list[str]:
            run(connection, "release", (self.id,))
            run(connection, "unregister", (self.id,))
            return bells(connection)

        try:
            await self._database.write(sign_off, durable=False, after=self._ringer.ring)
        finally:
            self.doorbell.close()
            self.ledger.close()

    def vanish(self) -> None:
        """Be gone as after `kill -9`: no farewell, the lock free, the ledger left as it is."""
        self.stop_beating()
        self.doorbell.close()
        self.ledger.let_go()

    def stop_beating(self) -> None:
        """End the heartbeat thread."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _keep_alive(self) -> None:
        # A thread of its own: a task that blocks the event loop must not make its worker look dead.
        last_beat = last_look = time.monotonic()
        while not self._stopping.wait(LOOK_EVERY):
            now = time.monotonic()
            # After a long sleep of the whole machine everyone looks silent, so others get a chance to be heard.
            awake = now - last_look < self._lease / 2
            last_look = now
            try:
                if now - last_beat >= self._lease / 3 or not awake:
                    last_beat = now
                    self._database.post(Request(self._beat, writes=True))
                if awake:
                    self._database.post(Request(self._look_for_the_dead, writes=False))
            except Unavailable:
                return

    def _beat(self, connection: apsw.Connection) -> None:
        run(connection, "beat", {"now": time.time(), "worker": self.id})

    def _look_for_the_dead(self, connection: apsw.Connection) -> None:
        now = time.time()
        for worker, name, pid, seen in rows(connection, "other_workers", {"worker": self.id}):
            path = self._folder / f"{name}.run"
            ledger = DeadLedger.of(path)
            if ledger is not None or now - seen > self._lease:
                why = "died" if ledger is not None else f"has been silent for {now - seen:.0f} s"
                self._database.post(Request(self._clearing(worker, pid, path, ledger, why), writes=True))

    def _clearing(
        self, worker: int, pid: int, path: Path, ledger: DeadLedger | None, why: str
    ) -> Callable[[apsw.Connection], None]:
        def clear(connection: apsw.Connection) -> None:
            running = ledger.running() if ledger is not None else read_silent(path)
            run(connection, "count_deaths", {"worker": worker, "running": json.dumps(running)})
            given_back = run(connection, "release", (worker,))
            known = rows(connection, "unregister", (worker,))
            to_ring = bells(connection)
            if ledger is not None:
                ledger.close(remove=True)
            if known:
                log.warning(
                    "Worker %d (pid %d) %s; %d jobs are given to others, %d of which it was running",
                    worker, pid, why, given_back, len(running),
                )  # fmt: skip
                self._ringer.ring(to_ring)

        return clear


def read_silent(path: Path) -> list[int]:
    """The jobs that a frozen worker was running; its lock is not needed to read."""
    try:
        entries = memoryview(path.read_bytes())
    except FileNotFoundError:
        return []
    return [job for job in entries[: len(entries) // 8 * 8].cast("Q") if job]
