"""Where scenes play: a folder, worker processes, the journal they write, and what the audience sees."""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

#: Seconds that anything on the stage may take before the scene has failed.
PATIENCE = 20.0


class SceneFailed(Exception):
    """Something that a scene promises did not hold."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One promise that held."""

    scene: str
    promise: str
    shown: str


class Stage:
    """The demo's world, made for one run and cleared away after it."""

    #: The file for what workers say.
    LOG = "workers.log"
    #: The variable that tells the shop's tasks where to write what they did.
    JOURNAL = "DEMO_JOURNAL"

    def __init__(self, folder: Path, console: Console, *, pace: float) -> None:
        self._folder = folder
        self._console = console
        self._pace = pace
        self.journal = folder / "journal.jsonl"
        self.journal.touch()
        #: Where the dashboard is; None where it cannot be.
        self.dashboard: str | None = None
        self._processes: list[asyncio.subprocess.Process] = []
        self.checked: list[Checked] = []
        self._scene = ""

    def open_scene(self, title: str, code: str) -> None:
        """Announce a scene and the code that it plays."""
        self._scene = title
        self._console.rule(f"[bold]{title}[/]", align="left")
        self._console.print(code.strip(), style="cyan", highlight=False)

    async def say(self, text: str) -> None:
        """Tell the audience what happens."""
        self._console.print(f"  {text}", highlight=False)
        await asyncio.sleep(self._pace)

    async def check(self, promise: str, holds: bool, shown: str) -> None:
        """Show a promise that held; one that did not ends the scene."""
        if not holds:
            raise SceneFailed(f"{promise}: {shown}")
        self.checked.append(Checked(scene=self._scene, promise=promise, shown=shown))
        await self.say(f"[green]✓[/] {promise} [dim]({shown})[/]")

    async def start_worker(self) -> int:
        """Start a worker in a process of its own, as `goatherd worker` does; returns its pid."""
        return await self.start("worker")

    async def start(self, command: str, *options: str) -> int:
        """Start a command of Goatherd for the shop, in a process of its own; returns its pid."""
        log = (self._folder / self.LOG).open("ab")
        with log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "goatherd", command, "goatherd.cli.demo.shop:app", *options),
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self._processes.append(process)
        return process.pid

    def kill_worker(self, pid: int) -> None:
        """Kill a worker as the kernel does when memory runs out: no warning, no farewell."""
        os.kill(pid, signal.SIGKILL)

    def notes(self, fact: str) -> list[dict[str, Any]]:
        """The lines of the journal that have a fact, in order."""
        lines = self.journal.read_text(encoding="utf-8").splitlines()
        return [note for note in map(json.loads, lines) if fact in note]

    async def until(self, what: str, come: Callable[[], bool]) -> None:
        """Wait for something that the workers do; too long is a failure with their last words."""
        deadline = time.monotonic() + PATIENCE
        while not come():
            if time.monotonic() > deadline:
                raise SceneFailed(f"{what} did not happen within {PATIENCE:g} s. {self.last_words()}")
            await asyncio.sleep(0.02)

    def put(self, name: str, text: str = "") -> None:
        """Put something where the shop's tasks look for it: paper, tape, guests."""
        (self._folder / name).write_text(text, encoding="utf-8")

    async def close(self) -> None:
        """Stop all processes."""
        for process in self._processes:
            if process.returncode is None:
                process.terminate()
        for process in self._processes:
            try:
                await asyncio.wait_for(process.wait(), PATIENCE)
            except TimeoutError:
                process.kill()

    def last_words(self) -> str:
        """The end of what the workers said."""
        log = self._folder / self.LOG
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
        return "The workers' last words:\n" + "\n".join(lines[-15:])
