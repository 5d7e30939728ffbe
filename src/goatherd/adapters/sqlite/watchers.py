"""Everything that one client waits for in a file: a doorbell, and a row for each job that is watched.

A ring says which job has new events. The kernel keeps only a few rings, so after a burst, and now and then, the
positions of all watched jobs are compared with those seen last.
"""

import asyncio
import hashlib
import logging
import time
from pathlib import Path
from uuid import uuid4

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.doorbell import Doorbell, address_for
from goatherd.adapters.sqlite.failures import of_the_system
from goatherd.adapters.sqlite.queries import rows, run, run_many, value
from goatherd.adapters.sqlite.requests import Request
from goatherd.errors import Unavailable
from goatherd.model.event import BEGINNING, Position
from goatherd.ports.events import Wake

#: Seconds between two looks at the positions of all watched jobs.
LOOK_EVERY = 1.0
#: Seconds between two signs of life, and of silence after which others take a watcher for dead.
BEAT_EVERY, SILENT_AFTER = 10.0, 60.0
#: Rings heard at once after which others may have been lost; Linux keeps ten.
MANY_RINGS = 8

log = logging.getLogger("goatherd.sqlite")


class SqliteWatch:
    """Satisfies `Watch`."""

    def __init__(self, watchers: "Watchers", job: str, wake: Wake) -> None:
        self._watchers = watchers
        self.job = job
        self.wake = wake

    async def stop(self) -> None:
        """See `Watch.stop`."""
        self._watchers.drop(self)


class Watchers:
    """The watches of one client."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._folder = database.path.with_name(database.path.name + ".d")
        self._by_job: dict[str, list[SqliteWatch]] = {}
        self._jobs: dict[bytes, str] = {}
        self._seen: dict[str, Position] = {}
        self._bell: Doorbell | None = None
        self._id = 0
        self._registering = asyncio.Lock()
        self._look = asyncio.Event()
        self._last_beat = 0.0
        self._task: asyncio.Task[None] | None = None
        self._failing = False

    async def add(self, job: str, wake: Wake) -> SqliteWatch:
        """Wait for one more job."""
        watch = SqliteWatch(self, job, wake)
        self._by_job.setdefault(job, []).append(watch)
        self._jobs[ring_for(job)] = job
        try:
            if self._task is None or not await self._note([job]):
                await self._register_if_unknown()
        except BaseException:
            self.drop(watch)
            raise
        return watch

    def drop(self, watch: SqliteWatch) -> None:
        """Wait no more."""
        watches = self._by_job.get(watch.job, [])
        if watch not in watches:
            return
        watches.remove(watch)
        if not watches:
            del self._by_job[watch.job], self._jobs[ring_for(watch.job)]
            self._seen.pop(watch.job, None)
            row = {"job": watch.job, "watcher": self._id}
            self._database.post(Request(lambda connection: run(connection, "drop_watch", row), writes=True))

    async def close(self) -> None:
        """Wait for nothing any more."""
        await self._end()
        if self._bell is not None:
            bell, self._bell = self._bell, None
            try:
                await self._database.write(
                    lambda connection: run(connection, "drop_watcher", (self._id,)), durable=False
                )
            finally:
                bell.close()

    async def vanish(self) -> None:
        """Be gone as after `kill -9`."""
        await self._end()
        if self._bell is not None:
            self._bell.let_go()
            self._bell = None

    async def _end(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        self._by_job.clear()
        self._jobs.clear()
        if self._bell is not None:
            asyncio.get_running_loop().remove_reader(self._bell.fileno())

    async def _register_if_unknown(self) -> None:
        """Have a bell and rows in the file for all that is watched; others may have cleared them away."""
        async with self._registering:
            if self._task is not None and await self._note(list(self._by_job)):
                return
            await self._register()
            await self._note(list(self._by_job))
            if self._task is None:
                self._task = asyncio.create_task(self._run(), name="goatherd sqlite watchers")

    async def _register(self) -> None:
        address = address_for(self._folder, uuid4().hex)
        bell = self._make_bell(address)

        def register(connection: apsw.Connection) -> int:
            self._clear_away_silent(connection)
            run(connection, "add_watcher", {"doorbell": address, "now": time.time()})
            return connection.last_insert_rowid()

        try:
            self._id = await self._database.write(register, durable=False)
        except BaseException:
            bell.close()
            raise
        former, self._bell = self._bell, bell
        loop = asyncio.get_running_loop()
        if former is not None:
            loop.remove_reader(former.fileno())
            former.close()
        loop.add_reader(bell.fileno(), self._rung)
        self._last_beat = time.monotonic()

    def _make_bell(self, address: str) -> Doorbell:
        try:
            self._folder.mkdir(exist_ok=True)
            return Doorbell(address)
        except OSError as error:
            raise of_the_system(error, self._database.path) from error

    async def _note(self, jobs: list[str]) -> bool:
        """Tell the file what is watched; false if it does not know this watcher, or no longer."""

        def add(connection: apsw.Connection) -> list[tuple[str, Position]] | None:
            watcher = self._id
            if value(connection, "known_watcher", (watcher,)) is None:
                return None
            run_many(connection, "add_watch", [{"job": job, "watcher": watcher} for job in jobs])
            return [(job, Position(*row)) for job in jobs for row in rows(connection, "position_of_job", (job,))]

        found = await self._database.write(add, durable=False)
        for job, position in found or ():
            # Whoever begins to watch reads the log first, so only what comes now is news.
            if job in self._by_job:
                self._seen.setdefault(job, position)
        return found is not None

    def _rung(self) -> None:
        heard = self._bell.heard() if self._bell is not None else []
        for ring in dict.fromkeys(heard):
            self._wake(self._jobs.get(ring, ""))
        if len(heard) >= MANY_RINGS:
            self._look.set()

    def _wake(self, job: str) -> None:
        for watch in tuple(self._by_job.get(job, ())):
            watch.wake(())

    async def _run(self) -> None:
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY):
                    await self._look.wait()
            except TimeoutError:
                pass
            self._look.clear()
            try:
                await self._beat()
                await self._compare()
                self._recovered()
            except Exception as error:  # noqa: BLE001 - whatever one look meets, the next must be tried
                self._failed(error)

    async def _compare(self) -> None:
        """Wake those whose job is not where it was at the last look."""
        if not self._by_job:
            return
        found = await self._database.read(lambda connection: rows(connection, "watched_positions", (self._id,)))
        for job, epoch, seq in found:
            position = Position(epoch, seq)
            if self._seen.get(job, BEGINNING) != position and job in self._by_job:
                self._seen[job] = position
                self._wake(job)

    async def _beat(self) -> None:
        if time.monotonic() - self._last_beat < BEAT_EVERY:
            return

        def beat(connection: apsw.Connection) -> bool:
            known = run(connection, "see_watcher", {"now": time.time(), "id": self._id}) > 0
            self._clear_away_silent(connection)
            return known

        known = await self._database.write(beat, durable=False)
        self._last_beat = time.monotonic()
        if not known:
            # Others took it for dead, and nobody has rung since.
            await self._register_if_unknown()
            for job in tuple(self._by_job):
                self._wake(job)

    def _clear_away_silent(self, connection: apsw.Connection) -> None:
        for (address,) in rows(connection, "drop_silent_watchers", {"before": time.time() - SILENT_AFTER}):
            Path(address).unlink(missing_ok=True)

    def _failed(self, error: Exception) -> None:
        if not self._failing:
            unforeseen = None if isinstance(error, Unavailable) else error
            log.error("Watchers of jobs are not called: %s", error, exc_info=unforeseen)
        self._failing = True

    def _recovered(self) -> None:
        if self._failing:
            log.warning("The store works again; watchers of jobs are called")
        self._failing = False


def ring_for(job: str) -> bytes:
    """What a ring says about a job."""
    return hashlib.blake2b(job.encode(), digest_size=16).digest()
