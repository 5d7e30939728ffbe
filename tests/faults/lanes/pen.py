"""Worker processes of the crash run: started through the real command line, killed, frozen, and started anew."""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.faults.lanes.usage import Outages

ROOT = Path(__file__).parents[3]
#: Seconds that a worker gets to end in good order, which others may have frozen with a lock in its hand.
FAREWELL = 40.0


class Pen:
    """So many workers, always; whoever ends is replaced."""

    def __init__(
        self, folder: Path, command: Sequence[str], environment: Mapping[str, str], chance: random.Random
    ) -> None:
        self._folder = folder
        self._command = command
        self.journal = folder / "journal"
        self.journal.mkdir()
        self._environment = {**os.environ, **environment, "FLOCK_JOURNAL": str(self.journal)}
        self._chance = chance
        self._workers: list[asyncio.subprocess.Process] = []
        self._thawing: set[asyncio.Task[None]] = set()
        self._started = 0
        self.outages = Outages()
        self.kills = self.freezes = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for thawing in self._thawing:
            thawing.cancel()
        for worker in self._workers:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()

    async def start(self) -> None:
        """One more."""
        self._started += 1
        with (self._folder / f"worker-{self._started}.log").open("ab") as log:
            worker = await asyncio.create_subprocess_exec(
                sys.executable, *self._command, cwd=ROOT, env=self._environment,
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self._workers.append(worker)

    @property
    def up(self) -> int:
        """How many have begun to work."""
        return sum((self.journal / f"{worker.pid}.log").exists() for worker in self._workers)

    async def kill_one(self) -> None:
        """`kill -9`, and another in its place."""
        victim = self._victim()
        if victim is None:
            return
        self.outages.dead[victim.pid] = time.time()
        victim.kill()
        await victim.wait()
        self._workers.remove(victim)
        self.kills += 1
        await self.start()

    async def replace_ended(self) -> None:
        """Others in the place of those that ended by themselves, as when they had nowhere to start."""
        for worker in [each for each in self._workers if each.returncode is not None]:
            self._workers.remove(worker)
            await self.start()

    def freeze_one(self, seconds: float) -> None:
        """Let it stand still for so long, with whatever it has in its hands."""
        victim = self._victim()
        if victim is None:
            return
        self.freezes += 1
        self.outages.frozen.setdefault(victim.pid, []).append((time.time(), float("inf")))
        victim.send_signal(signal.SIGSTOP)
        thawing = asyncio.create_task(self._thaw(victim, seconds), name=f"thaw {victim.pid}")
        self._thawing.add(thawing)
        thawing.add_done_callback(self._thawing.discard)

    async def _thaw(self, victim: asyncio.subprocess.Process, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if victim.returncode is None:
            victim.send_signal(signal.SIGCONT)
        since, _ = self.outages.frozen[victim.pid][-1]
        self.outages.frozen[victim.pid][-1] = (since, time.time())

    def _victim(self) -> asyncio.subprocess.Process | None:
        """One that has begun to work and does not stand still."""
        still = {pid for pid, times in self.outages.frozen.items() if times[-1][1] == float("inf")}
        those = [
            worker for worker in self._workers
            if worker.returncode is None and worker.pid not in still
            and (self.journal / f"{worker.pid}.log").exists()
        ]  # fmt: skip
        # Some must go on working, or nothing is measured.
        return self._chance.choice(those) if len(those) > 2 else None

    async def stop(self) -> None:
        """Let all end in good order."""
        if self._thawing:
            await asyncio.wait(self._thawing)
        for worker in self._workers:
            if worker.returncode is None:
                worker.terminate()
        for worker in self._workers:
            async with asyncio.timeout(FAREWELL):
                await worker.wait()

    def last_words(self) -> str:
        """The end of what the last workers said."""
        logs = sorted(self._folder.glob("worker-*.log"), key=lambda path: path.stat().st_mtime)
        return "\n".join(log.read_text(errors="replace")[-1500:] for log in logs[-3:])
