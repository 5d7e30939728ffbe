"""Processes to be killed and frozen, each started again in its place."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from tests.faults.live.scribe import Order, Report

ROOT = Path(__file__).parents[3]
#: Seconds that a process may take to start on a busy machine, and to be gone.
START, FAREWELL = 40.0, 20.0


class Program:
    """One process, and the next one in its place."""

    def __init__(self, name: str, command: list[str], environment: Mapping[str, str], folder: Path) -> None:
        self.name = name
        self._command = command
        self._environment = {**os.environ, **environment}
        self._log = folder / f"{name}.log"
        self._process: asyncio.subprocess.Process | None = None
        self.kills = 0

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self._process is not None, f"{self.name} was not started"
        return self._process

    async def start(self) -> None:
        """Start it, again and again as a service manager does, until it does its work."""
        async with asyncio.timeout(START):
            await self._start()
            while not await self.ready():
                await asyncio.sleep(0.1)
                await self._start()

    async def _start(self) -> None:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", *self._command, cwd=ROOT, env=self._environment,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log,
            )  # fmt: skip

    async def ready(self) -> bool:
        """Return when it does its work; false if it ended before that."""
        return True

    async def kill(self) -> None:
        """`kill -9`."""
        if self.process.returncode is None:
            self.kills += 1
            self.process.kill()
        async with asyncio.timeout(FAREWELL):
            await self.process.wait()

    def signal(self, number: signal.Signals) -> None:
        if self.process.returncode is None:
            self.process.send_signal(number)

    def said(self) -> str:
        """The end of its log."""
        return self._log.read_text(errors="replace")[-3000:]


class Router(Program):
    """One that says in its log when it has begun."""

    async def _start(self) -> None:
        self._before = self._log.stat().st_size if self._log.exists() else 0
        await super()._start()

    async def ready(self) -> bool:
        while self.process.returncode is None:
            if self._log.stat().st_size > self._before:
                return True
            await asyncio.sleep(0.05)
        return False


class Server(Program):
    """One that listens on a port of its own."""

    def __init__(
        self, name: str, port: int, command: list[str], environment: Mapping[str, str], folder: Path
    ) -> None:  # fmt: skip
        super().__init__(name, command, environment, folder)
        self.port = port

    async def ready(self) -> bool:
        while self.process.returncode is None:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return True
        return False


class ScribeProcess(Program):
    """One that takes orders; those that it had when it died, or was taken for dead, are given to others."""

    def __init__(
        self, name: str, command: list[str], environment: Mapping[str, str], folder: Path,
        on_report: Callable[[Report], None],
    ) -> None:  # fmt: skip
        super().__init__(name, command, environment, folder)
        self._on_report = on_report
        self._hearing: asyncio.Task[None] | None = None
        self.frozen = False

    async def ready(self) -> bool:
        assert self.process.stdout is not None, "started with a pipe"
        if await self.process.stdout.readline() != b"ready\n":
            return False
        self._hearing = asyncio.create_task(self._hear(self.process.stdout), name=f"hear {self.name}")
        return True

    def give(self, order: Order) -> None:
        assert self.process.stdin is not None, "started with a pipe"
        self.process.stdin.write(msgspec.json.encode(order) + b"\n")

    async def _hear(self, stdout: asyncio.StreamReader) -> None:
        while line := await stdout.readline():
            self._on_report(msgspec.json.decode(line, type=Report))
