"""What a setting needs beside an empty folder: for RabbitMQ, a broker."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.settings import Entry

if TYPE_CHECKING:
    from benchmarks.rabbitmq.server import Server


class Surroundings:
    """Servers that run for the whole of a run."""

    def __init__(self, server: "Server | None") -> None:
        self._server = server

    def room(self, entry: Entry, folder: Path) -> AbstractContextManager[None]:
        """Make a folder ready for one measurement, and clean up what is not in it afterwards."""
        if entry.on_rabbitmq and self._server is not None:
            return self._server.virtual_host(folder)
        return nullcontext()

    def facts(self) -> dict[str, str]:
        """What a reader must know about them."""
        return {} if self._server is None else {"rabbitmq": self._server.version()}


@contextmanager
def surroundings(entries: Iterable[Entry], folder: Path) -> Iterator[Surroundings]:
    """Start what the entries need; raises NoServer."""
    if not any(entry.on_rabbitmq for entry in entries):
        yield Surroundings(None)
        return
    from benchmarks.rabbitmq.server import running

    with tempfile.TemporaryDirectory(dir=folder, prefix="server-") as place, running(Path(place)) as server:
        yield Surroundings(server)
