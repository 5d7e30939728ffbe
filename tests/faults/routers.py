"""Routers as processes that can be killed, and somebody who hears all that the live server says."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import redis.asyncio

from goatherd.model.event import Entry
from goatherd.model.settings import Settings

ROOT = Path(__file__).parents[2]


class RouterProcess:
    """One `goatherd router`."""

    def __init__(self, settings: Settings, log: Path) -> None:
        told = {
            "BROKER_URL": f"sqlite:///{log.with_suffix('.db')}",
            "EVENTS_URL": settings.event_store,
            "LIVE_URL": settings.live_url,
            "RECORDS_URL": settings.record_store,
            "EVENT_PREFIX": settings.event_prefix,
            "ROUTER_BATCH": str(settings.router_batch),
            "HISTORY_DAYS": str(settings.history_days),
        }
        self._environment = os.environ | {f"GOATHERD_{name}": value for name, value in told.items() if value}
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.router_program"], cwd=ROOT, env=self._environment,
                stdout=log, stderr=log,
            )  # fmt: skip

    def kill(self) -> None:
        """kill -9"""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Tell it to stop; its exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> int:
        if self._process is None:
            return 0
        process, self._process = self._process, None
        process.send_signal(number)
        return process.wait(20)

    def words(self) -> str:
        return self._log.read_text(encoding="utf-8")


class Listener:
    """Hears what the live server says and delivers only what follows directly; it never reads a log."""

    def __init__(self) -> None:
        self.heard: defaultdict[str, list[Entry]] = defaultdict(list)
        #: Of each job: how far it was told without a hole, and what came too early.
        self.told: defaultdict[str, int] = defaultdict(int)
        self.holes: list[tuple[str, int, int]] = []
        self.ended: set[str] = set()

    def hear(self, job: str, entries: list[Entry]) -> None:
        for entry in entries:
            seq = entry.position.seq
            if seq > self.told[job] + 1:
                self.holes.append((job, self.told[job], seq))
            self.told[job] = max(self.told[job], seq)
            if entry.kind == "done":
                self.ended.add(job)


@asynccontextmanager
async def listening(url: str, prefix: str) -> AsyncIterator[Listener]:
    """Hear everything under a prefix until the block ends."""
    from goatherd.adapters.redis.messages import entries_in

    listener = Listener()
    async with redis.asyncio.Redis.from_url(url) as client, client.pubsub() as channel:
        await channel.psubscribe(f"{prefix}:*")
        await channel.get_message(timeout=5)

        async def listen() -> None:
            while True:
                message = await channel.get_message(ignore_subscribe_messages=True, timeout=5)
                if message is not None:
                    job = message["channel"].decode().rpartition(":")[2]
                    listener.hear(job, entries_in(message["data"]))

        task = asyncio.create_task(listen(), name="listener")
        try:
            yield listener
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
