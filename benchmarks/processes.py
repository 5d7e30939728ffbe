"""Start the measured processes, talk to them, and leave none behind."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.settings import Entry

#: Seconds within which a process must answer; the slowest step of the slowest contender takes a tenth of it.
DEADLINE = 120.0
#: Seconds that a process gets to end by itself.
PATIENCE = 20.0
#: The longest answer: the tape of a run.
LONGEST_LINE = 64 * 1024 * 1024

_numbers = count(1)


class StepFailed(Exception):
    """A measured process did not do what it was started for."""


class Step:
    """One running process."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, errors: Path) -> None:
        self._name = name
        self._process = process
        self._errors = errors

    async def tell(self, word: str) -> None:
        """Say a word to it."""
        assert self._process.stdin is not None, "started with a pipe"
        self._process.stdin.write(f"{word}\n".encode())
        await self._process.stdin.drain()

    async def answer(self) -> dict[str, Any]:
        """Its next answer; raises StepFailed."""
        assert self._process.stdout is not None, "started with a pipe"
        try:
            async with asyncio.timeout(DEADLINE):
                line = await self._process.stdout.readline()
        except TimeoutError as error:
            raise StepFailed(f"{self._name} gave no answer within {DEADLINE:g} s. {self.said()}") from error
        if not line:
            raise StepFailed(f"{self._name} ended without an answer. {self.said()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def stop(self) -> dict[str, Any]:
        """Tell a worker to stop; returns its record."""
        await self.tell("stop")
        return await self.answer()

    async def ended(self) -> None:
        """Return when it has ended by itself; raises StepFailed if it does not, or not well."""
        try:
            async with asyncio.timeout(PATIENCE):
                code = await self._process.wait()
        except TimeoutError as error:
            raise StepFailed(f"{self._name} did not end within {PATIENCE:g} s. {self.said()}") from error
        if code:
            raise StepFailed(f"{self._name} ended with {code}. {self.said()}")

    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.returncode is None

    def said(self) -> str:
        """The end of what it wrote on standard error."""
        text = self._errors.read_text(encoding="utf-8", errors="replace").strip()
        return f"It said: {text[-2000:]}" if text else "It said nothing."


def clean_environment() -> dict[str, str]:
    """The user's own settings must not reach a contender."""
    return {key: value for key, value in os.environ.items() if not key.startswith("GOATHERD_")}


@asynccontextmanager
async def step(
    entry: Entry, name: str, place: Path, *arguments: object, program: str = "benchmarks.child"
) -> AsyncIterator[Step]:
    """One process for one step of one contender; ended, or killed, with the block."""
    command = [sys.executable, "-m", program, name, entry.setting, entry.name, str(place)]
    errors = place / f"{next(_numbers)}-{name}.err"
    with errors.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *command, *map(str, arguments), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=stderr, env=clean_environment(), limit=LONGEST_LINE,
        )  # fmt: skip
    try:
        yield Step(f"{name} of {entry.setting}/{entry.name}", process, errors)
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Let it end by closing its ears; kill it if it does not."""
    assert process.stdin is not None, "started with a pipe"
    process.stdin.close()
    try:
        async with asyncio.timeout(PATIENCE):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


async def take(entry: Entry, name: str, place: Path, *arguments: object) -> dict[str, Any]:
    """Run one step to its end; returns its answer."""
    async with step(entry, name, place, *arguments) as running:
        return await running.answer()
