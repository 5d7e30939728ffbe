"""What the tests of the SQLite adapter open and start."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from goatherd.model.settings import Settings
from goatherd.model.topology import Queue
from goatherd.ports.clock import SystemClock
from goatherd.wiring import Ports, open_ports

QUEUE = "errands"
#: Seconds that a process of Python may take to start on a busy machine.
START_DEADLINE = 30.0


@asynccontextmanager
async def client(path: Path, lease: float = 30.0) -> AsyncIterator[Ports]:
    """An open client, with its queue."""
    settings = Settings(broker_url=f"sqlite:///{path}", default_queue=QUEUE, lease=lease)
    ports = await open_ports(settings, SystemClock())
    try:
        await ports.broker.declare([Queue(name=QUEUE)])
        yield ports
    finally:
        await ports.close()


class Holder:
    """A process of its own that takes jobs and holds them; see `holder.py`."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    async def line(self) -> str:
        """What it says next."""
        assert self._process.stdout is not None
        async with asyncio.timeout(START_DEADLINE):
            return (await self._process.stdout.readline()).decode().strip()

    def send(self, number: signal.Signals) -> None:
        os.kill(self._process.pid, number)

    async def end(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


@asynccontextmanager
async def holder(path: Path, *arguments: str) -> AsyncIterator[Holder]:
    """Start it; it is killed when the block ends."""
    command: Sequence[str] = (sys.executable, "-m", "tests.unit.adapters.sqlite.holder", str(path), *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, cwd=Path(__file__).parents[4])
    started = Holder(process)
    try:
        yield started
    finally:
        await started.end()
