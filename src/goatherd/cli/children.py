"""Worker processes, as the process that started them sees them."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Coroutine, Sequence
from typing import Any, Self

from goatherd.cli.parent import HURRY
from goatherd.engine.worker import LAST_WORDS

#: Seconds beyond the grace period in which a worker must have closed everything and ended.
FAREWELL = LAST_WORDS + 30.0

#: Seconds to wait for what a dead worker has said last.
LAST_WORD = 1.0

log = logging.getLogger("goatherd.parent")


class Child:
    """One worker process and the line to it."""

    def __init__(
        self, process: asyncio.subprocess.Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._grace_period: float | None = None
        self._greeting = asyncio.create_task(self._greeted(), name=f"wait until worker {process.pid} takes jobs")

    @classmethod
    async def start(cls, arguments: Sequence[str]) -> Self:
        """Start `goatherd ARGUMENTS` as a child that ends when this process ends."""
        ours, theirs = socket.socketpair()
        # -P: a file of the user's that happens to be called goatherd.py must not be taken for us.
        command = [sys.executable, "-P", "-m", "goatherd", *arguments, "--parent", str(theirs.fileno())]
        # The child inherits the block and lifts it when it is ready for Ctrl-C; see ParentLine.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with theirs:
                process = await asyncio.create_subprocess_exec(*command, pass_fds=[theirs.fileno()])
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return cls(process, *await asyncio.open_connection(sock=ours))

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def was_ready(self) -> bool:
        """Whether it ever took jobs."""
        return self._grace_period is not None

    async def ready(self) -> bool:
        """True when it takes jobs, false when it ends before it could."""
        await asyncio.wait([self._greeting])
        return self.was_ready

    async def ended(self) -> int:
        """Its exit code, or minus the signal that killed it, once it has ended."""
        code = await self._process.wait()
        # What it said last may still be on the line; a program that it left behind must not keep us waiting.
        await asyncio.wait([self._greeting], timeout=LAST_WORD)
        self._greeting.cancel()
        self._writer.close()
        return code

    def stop(self) -> None:
        """Let it end in good order; nothing happens if it has ended."""
        if self._process.returncode is None:
            self._process.terminate()

    def hurry(self) -> None:
        """Cut its grace period short."""
        if self._process.returncode is None:
            self._writer.write(HURRY)

    async def ended_or_killed(self, patience: float | None = None) -> int:
        """Wait for a child that was told to stop; one that takes far too long is killed."""
        await first_of(self.ended(), asyncio.sleep(FAREWELL))
        if self._process.returncode is None:
            await first_of(self.ended(), asyncio.sleep((self._grace_period or 0.0) if patience is None else patience))
        if self._process.returncode is None:
            log.error("Worker %d does not end; it is killed, and others do its jobs", self.pid)
            self._process.kill()
        return await self.ended()

    async def _greeted(self) -> None:
        word, _, grace_period = (await self._reader.readline()).decode().partition(" ")
        if word == "ready":
            self._grace_period = float(grace_period)


async def first_of(*waits: Coroutine[Any, Any, Any]) -> None:
    """Return when one of them is done, raising what it raised; the others are given up."""
    tasks = [asyncio.create_task(wait, name=f"one of {len(waits)} waits") for wait in waits]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def how_it_ended(code: int) -> str:
    """An exit code in words."""
    if code == 0:
        return "ended by itself"
    if code > 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"was killed by {name}" + (" (kill -9, or the machine ran out of memory)" if -code == signal.SIGKILL else "")
