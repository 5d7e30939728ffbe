"""A private Valkey, which takes the place of a Redis."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.servers.install import NoServer
from scripts.servers.redis import Redis

VALKEY_URL = "GOATHERD_TEST_VALKEY_URL"


class Valkey(Redis):
    """The same server by another name."""

    name = "Valkey"

    def _program(self) -> str:
        found = shutil.which("valkey-server")
        if found is None:
            raise NoServer(
                f"valkey-server is not installed. Install it (`apt-get install valkey-server` on Debian 13 and Ubuntu "
                f"24.04, from the backports on Debian 12), or set {VALKEY_URL} to one that may be used for tests."
            )
        return found


@contextmanager
def a_valkey(folder: Path) -> Iterator[str]:
    """The URL of one that may be used for tests; raises NoServer."""
    if VALKEY_URL in os.environ:
        yield os.environ[VALKEY_URL]
        return
    with Valkey(folder) as server:
        yield server.url
