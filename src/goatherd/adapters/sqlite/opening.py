"""Open the ports on one file; those of one process share its writer thread."""

import os
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

from goatherd.adapters.sqlite.database import Database, same_file
from goatherd.errors import SettingsError


class Files:
    """The files that are open in this process, each with the number of its users."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[Database, int]] = {}
        self._closing: list[Database] = []
        self._resting: list[Database] | None = None
        self._lock = threading.Lock()

    def take(self, path: Path) -> Database:
        """The database at a path, opened by its first user."""
        with self._lock:
            name = same_file(path)
            database, users = self._open.get(name, (None, 0))
            if database is None:
                database = Database(path)
                database.open()
            self._open[name] = (database, users + 1)
            return database

    def give_back(self, database: Database) -> None:
        """Close it with its last user."""
        with self._lock:
            name = same_file(database.path)
            known, users = self._open[name]
            if users > 1:
                self._open[name] = (known, users - 1)
                return
            del self._open[name]
            self._closing.append(database)
        database.close()
        with self._lock:
            # Not there in a child that was forked meanwhile.
            if database in self._closing:
                self._closing.remove(database)

    # --- around a fork ----------------------------------------------------------------------------

    def rest(self) -> None:
        """No file is open while the process is copied."""
        self._lock.acquire()
        self._resting = self._all()
        for database in self._resting:
            database.rest()

    def go_on(self) -> None:
        """In the parent, everything is as it was."""
        if self._resting is None:
            # This module was imported while the process was about to fork.
            return
        for database in self._resting:
            database.go_on()
        self._resting = None
        self._lock.release()

    def forget(self) -> None:
        """In the child, nothing is open."""
        self._lock = threading.Lock()
        self._resting = None
        for database in self._all():
            database.forget()
        self._open.clear()
        self._closing.clear()

    def _all(self) -> list[Database]:
        return [database for database, _ in self._open.values()] + self._closing


FILES = Files()
os.register_at_fork(before=FILES.rest, after_in_parent=FILES.go_on, after_in_child=FILES.forget)


def path_of(url: str) -> Path:
    """The file of `sqlite:///relative.db` or `sqlite:////absolute.db`."""
    parts = urlsplit(url)
    if parts.netloc or len(parts.path) < 2:
        told = f"{url!r} names no file. Write sqlite:///jobs.db for a file here, sqlite:////srv/jobs.db for another."
        raise SettingsError([told])
    return Path(unquote(parts.path[1:]))
