"""Worker processes to be killed, started through the real command line."""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from goatherd import Goatherd
from goatherd.model.dead_letter import LetterFilter
from tests.faults.history import History

#: Seconds within which a fault run must come to rest after the last fault.
REST_DEADLINE = 60.0


class Arena:
    """One SQLite file, some workers, and the journal of what they did."""

    def __init__(self, folder: Path, *, seed: int) -> None:
        self.folder = folder
        self.journal = folder / "journal"
        self.journal.mkdir()
        self.app = Goatherd("faults", broker_url=f"sqlite:///{folder}/faults.db")
        self.app.queue("faults")
        self.chance = random.Random(seed)
        self.kills = 0
        self._workers: list[asyncio.subprocess.Process] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for worker in self._workers:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()

    async def start_worker(self, *options: str) -> None:
        environment = {
            **os.environ,
            "GOATHERD_BROKER_URL": f"sqlite:///{self.folder}/faults.db",
            "FAULTS_JOURNAL": str(self.journal),
        }
        with (self.folder / "workers.log").open("ab") as log:
            worker = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "goatherd", "worker", "herd:app", *options),
                cwd=Path(__file__).parent, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self._workers.append(worker)

    async def kill_one(self, *options: str) -> None:
        """Kill a random worker and start another in its place."""
        victim = self.chance.choice(self._workers)
        os.kill(victim.pid, signal.SIGKILL)
        await victim.wait()
        self._workers.remove(victim)
        self.kills += 1
        await self.start_worker(*options)

    async def dead_jobs(self) -> list[str]:
        letters = self.app.session().ports.dead_letters
        return [letter.original.id async for letter in letters.find(LetterFilter())]

    async def at_rest(self, accepted: Sequence[str], deadline: float = REST_DEADLINE) -> None:
        """Wait until nothing waits, is delayed or runs any more."""
        patience = time.monotonic() + deadline
        while time.monotonic() < patience:
            states = await self.app.session().ports.operations.queues()
            if not any(state.ready or state.delayed or state.running for state in states):
                return
            await asyncio.sleep(0.1)
        done = len(History.read(self.journal).ends)
        log = (self.folder / "workers.log").read_text()[-3000:]
        raise AssertionError(f"not at rest after {deadline} s: {done} of {len(accepted)} done; {states}\n{log}")
