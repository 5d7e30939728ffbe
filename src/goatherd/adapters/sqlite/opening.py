"""Open the ports on one file; those of one process share its writer thread."""

import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

from goatherd.adapters.sqlite.database import Database, same_file
from goatherd.errors import SettingsError


class Files:
    """The files that are open in this process, each with the number of its users."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[Database, int]] = {}
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
        database.close()


FILES = Files()


def path_of(url: str) -> Path:
    """The file of `sqlite:///relative.db` or `sqlite:////absolute.db`."""
    parts = urlsplit(url)
    if parts.netloc or len(parts.path) < 2:
        told = f"{url!r} names no file. Write sqlite:///jobs.db for a file here, sqlite:////srv/jobs.db for another."
        raise SettingsError([told])
    return Path(unquote(parts.path[1:]))
