"""An I/O thread whose event loop is blocked by somebody's code."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from goatherd.sync.errand import Errand
from goatherd.sync.process import PROCESS


@contextmanager
def stuck_loop() -> Iterator[None]:
    """Block the loop of the I/O thread until the block ends."""
    reached, released = threading.Event(), threading.Event()

    async def careless() -> None:
        reached.set()
        released.wait()

    errand = Errand("careless", None, careless)
    PROCESS.io_thread().submit(errand)
    assert reached.wait(10)
    try:
        yield
    finally:
        released.set()
        assert errand.wait(10)
