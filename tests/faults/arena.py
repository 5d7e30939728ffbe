"""Worker processes to be killed, started through the real command line."""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Self

from goatherd import Goatherd
from goatherd.model.dead_letter import LetterFilter
from tests.faults.history import History
from tests.faults.runs import Faults
from tests.faults.worker_logs import losses

#: Seconds within which a fault run must come to rest after the last fault.
REST_DEADLINE = 60.0
#: Seconds after which the sender is told that the broker is away.
PUBLISH_DEADLINE = 4.0
#: Seconds within which RabbitMQ, when it is killed, may forget a queue that it has made.
QUEUE_IS_WRITTEN_DOWN_AFTER = 6.0
#: Seconds that a worker gets to end in good order.
FAREWELL = 30.0


class Arena:
    """One broker, some workers, and the journal of what they did; without a URL the broker is one SQLite file."""

    def __init__(
        self,
        folder: Path,
        *,
        seed: int,
        broker_url: str | None = None,
        queue_type: Literal["quorum", "classic"] = "quorum",
    ) -> None:
        self.folder = folder
        self.journal = folder / "journal"
        self.journal.mkdir()
        self.broker_url = broker_url or f"sqlite:///{folder}/faults.db"
        self.queue_type = queue_type
        self.app = Goatherd(
            "faults", broker_url=self.broker_url, queue_type=queue_type, publish_deadline=PUBLISH_DEADLINE
        )
        # The jobs are those of the herd's tasks; here only their queue must be known.
        self.app.task(remote=True)(work)
        self.chance = random.Random(seed)
        #: When each worker was killed, by its pid.
        self.killed: dict[int, float] = {}
        self._workers: list[asyncio.subprocess.Process] = []
        self._started = 0

    @property
    def kills(self) -> int:
        return len(self.killed)

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
            "GOATHERD_BROKER_URL": self.broker_url,
            "GOATHERD_QUEUE_TYPE": self.queue_type,
            "FAULTS_JOURNAL": str(self.journal),
        }
        self._started += 1
        with (self.folder / f"worker-{self._started}.log").open("ab") as log:
            worker = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "goatherd", "worker", "herd:app", "--json", *options),
                cwd=Path(__file__).parent, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self._workers.append(worker)

    async def kill_one(self, *options: str) -> None:
        """Kill a random worker and start another in its place, and in that of one that ended by itself."""
        victim = self.chance.choice(self._workers)
        if victim.returncode is None:
            # The time is taken first: whatever it did before, it did while it could.
            self.killed[victim.pid] = time.time()
            os.kill(victim.pid, signal.SIGKILL)
        await victim.wait()
        await self.replace_ended(*options)

    async def replace_ended(self, *options: str) -> None:
        """Start a worker for each that has ended, as a service manager does."""
        for worker in [each for each in self._workers if each.returncode is not None]:
            self._workers.remove(worker)
            await self.start_worker(*options)

    async def stop_workers(self) -> None:
        """Let the workers end in good order."""
        for worker in self._workers:
            if worker.returncode is None:
                worker.terminate()
        for worker in self._workers:
            async with asyncio.timeout(FAREWELL):
                await worker.wait()

    def faults(self) -> Faults:
        """What was done to the workers."""
        return Faults(kills=self.killed, losses=losses(self.folder))

    async def dead_jobs(self) -> list[str]:
        letters = self.app.session().ports.dead_letters
        return [letter.original.id async for letter in letters.find(LetterFilter())]

    async def at_rest(self, accepted: Sequence[str], deadline: float = REST_DEADLINE) -> None:
        """Wait until nothing waits, is delayed or runs any more, and all that was accepted is done or dead."""
        patience = time.monotonic() + deadline
        pause = 0.1
        while time.monotonic() < patience:
            states = await self.app.session().ports.operations.queues()
            if not any(state.ready or state.delayed or state.running for state in states):
                # Not every broker tells what runs or is delayed, but the journal does.
                left = set(accepted) - set(History.read(self.journal).ends)
                if not left or left <= set(await self.dead_jobs()):
                    return
            await asyncio.sleep(pause)
            pause = min(2.0, pause * 1.5)
        done = len(History.read(self.journal).ends)
        raise AssertionError(
            f"not at rest after {deadline} s: {done} of {len(accepted)} done; {states}\n{self.last_words()}"
        )

    def last_words(self) -> str:
        """The end of what the last workers said."""
        logs = sorted(self.folder.glob("worker-*.log"), key=lambda path: path.stat().st_mtime)
        return "\n".join(log.read_text()[-1500:] for log in logs[-3:])


async def work(milliseconds: int) -> None:
    """Stands for the herd's task of this name."""
    raise NotImplementedError
