"""One worker's place in the file: registered, heard of regularly, and cleared away by others when it is gone."""

import json
import logging
import os
import socket
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import apsw

from goatherd.adapters.ledger import Ledger, is_dead, was_running
from goatherd.adapters.sqlite.abandoned import drop_abandoned
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.doorbell import Doorbell, Ringer, address_for
from goatherd.adapters.sqlite.failures import of_the_system
from goatherd.adapters.sqlite.queries import bells, rows, run, run_many
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

    async def join(self, queues: Sequence[int]) -> None:
        """Register under a new id as a worker of these queues, and clear away the dead."""
        name = uuid4().hex
        address = address_for(self._folder, name)
        # The lock is held before anyone can read the name, so a worker is never seen without it.
        ledger, doorbell = self._make_files(name, address)

        def register(connection: apsw.Connection) -> int:
            row = {"name": name, "host": socket.gethostname(), "pid": os.getpid(), "doorbell": address}
            run(connection, "register", {**row, "now": time.time()})
            worker = connection.last_insert_rowid()
            run_many(connection, "subscribe", [{"queue": queue, "worker": worker} for queue in queues])
            run(connection, "release_orphans")
            drop_abandoned(connection, time.time())
            return worker

        try:
            self.id = await self._database.write(register, durable=False)
        except BaseException:
            doorbell.close()
            ledger.close()
            raise
        self.ledger, self.doorbell = ledger, doorbell
        await self._database.read(self._look_for_the_dead)
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep_alive, name="goatherd-heartbeat", daemon=True)
            self._thread.start()

    def _make_files(self, name: str, address: str) -> tuple[Ledger, Doorbell]:
        try:
            self._folder.mkdir(exist_ok=True)
            ledger = Ledger(self._folder / f"{name}.run")
            try:
                return ledger, Doorbell(address)
            except BaseException:
                ledger.close()
                raise
        except OSError as error:
            raise of_the_system(error, self._database.path) from error

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
        self.doorbell.let_go()
        self.ledger.let_go()

    def stop_beating(self) -> None:
        """End the heartbeat thread."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _keep_alive(self) -> None:
        # A thread of its own: a task that blocks the event loop must not make its worker look dead.
        last_beat = last_look = time.monotonic()
        while not self._stopping.wait(min(LOOK_EVERY, self._lease / 4)):
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
        now = time.time()
        run(connection, "beat", {"now": now, "worker": self.id})
        drop_abandoned(connection, now)

    def _look_for_the_dead(self, connection: apsw.Connection) -> None:
        now = time.time()
        for worker, name, pid, bell, seen in rows(connection, "other_workers", {"worker": self.id}):
            ledger = self._folder / f"{name}.run"
            why = "died" if is_dead(ledger) else f"has been silent for {now - seen:.0f} s"
            if why == "died" or now - seen > self._lease:
                self._clear_away(worker, f"Worker {worker} (pid {pid}) {why}", ledger, Path(bell))

    def _clear_away(self, worker: int, told: str, ledger: Path, bell: Path) -> None:
        running = was_running(ledger)

        # Others may clear it away at the same moment: only the first finds anything to give back.
        def clear(connection: apsw.Connection) -> tuple[int, list[str]] | None:
            run(connection, "count_deaths", {"worker": worker, "running": json.dumps(running)})
            given_back = run(connection, "release", (worker,))
            known = rows(connection, "unregister", (worker,))
            return (given_back, bells(connection)) if known else None

        def tell(cleared: tuple[int, list[str]] | None) -> None:
            # Only now: until the jobs are given back, the ledger is the only note of what was running.
            ledger.unlink(missing_ok=True)
            bell.unlink(missing_ok=True)
            if cleared is not None:
                given_back, to_ring = cleared
                log.warning(
                    "%s; %d jobs are given to others, %d of which it was running", told, given_back, len(running)
                )
                self._ringer.ring(to_ring)

        self._database.post(Request(clear, writes=True, after=tell))
