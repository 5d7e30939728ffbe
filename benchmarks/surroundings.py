"""What a setting needs beside an empty folder: the servers that its contenders share."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.settings import Entry

if TYPE_CHECKING:
    from benchmarks.lanes.stores import Stores
    from benchmarks.rabbitmq.server import Server


class Surroundings:
    """Servers that run for the whole of a run."""

    def __init__(self, server: "Server | None", stores: "Stores | None") -> None:
        self._server = server
        self._stores = stores

    @contextmanager
    def room(self, entry: Entry, folder: Path) -> Iterator[None]:
        """Make a folder ready for one measurement, and clean up what is not in it afterwards."""
        with ExitStack() as life:
            if "rabbitmq" in entry.servers and self._server is not None:
                life.enter_context(self._server.virtual_host(folder))
            if entry.servers & STORES and self._stores is not None:
                life.enter_context(self._stores.room(folder, entry.servers))
            yield

    def facts(self) -> dict[str, str]:
        """What a reader must know about them."""
        facts = {} if self._server is None else {"rabbitmq": self._server.version()}
        return facts if self._stores is None else facts | self._stores.facts()


#: Servers that keep jobs with keys.
STORES = frozenset({"redis", "postgres"})


@contextmanager
def surroundings(entries: Iterable[Entry], folder: Path) -> Iterator[Surroundings]:
    """Start what the entries need; raises NoServer."""
    needed = frozenset[str]().union(*(entry.servers for entry in entries))
    with ExitStack() as life:
        server, stores = None, None
        if needed:
            place = Path(life.enter_context(tempfile.TemporaryDirectory(dir=folder, prefix="server-")))
        if "rabbitmq" in needed:
            from benchmarks.rabbitmq.server import running

            server = life.enter_context(running(place / "rabbitmq"))
        if needed & STORES:
            from benchmarks.lanes.stores import running as running_stores

            stores = life.enter_context(running_stores(place, needed))
        yield Surroundings(server, stores)
