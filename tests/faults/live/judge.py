"""Whether clients saw what happened, and whether the history knows it."""

import asyncio
import time
from collections.abc import Sequence

from goatherd.errors import Unavailable
from goatherd.model.event import BEGINNING, Entry, Snapshot, Token
from goatherd.model.job_record import JobRecord
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.ports.records import JobHistory
from goatherd.wiring import open_history
from tests.faults.live.arena import Arena
from tests.faults.live.client import Client, frames
from tests.faults.live.http import NoStream, get
from tests.faults.live.script import Mark, Script, mark_of_stage
from tests.faults.live.tally import Tally
from tests.faults.live.view import Fault, View

#: Seconds within which a gateway must tell a browser to stay away, and a router must have written the history.
GOODBYE, HISTORY = 10.0, 30.0
#: Jobs that are asked for again when their logs are gone.
EXPIRED = 50


class Judge:
    """Of one run; without events it is a system that has no log to compare with."""

    def __init__(self, arena: Arena, events: Events | None, tally: Tally) -> None:
        self._arena = arena
        self._events = events
        self._tally = tally

    async def sessions(self, script: Script, clients: list[Client], following: "list[asyncio.Task[View]]") -> None:
        """All sessions of one job."""
        tails = await self._tails(script)
        self._tally.jobs += 1
        for client, task in zip(clients, following, strict=True):
            faults = list(client.view.faults) + self._of_end(client.view, task)
            if tails is not None:
                faults += _cut_short(client.view, tails)
            if client.view.done and client.view.id and self._events is not None:
                faults += await self._comes_after_the_end(client.view)
            self._tally.note(faults)
            self._tally.connections += client.connections
            self._tally.frames += client.view.counts
            self._tally.refusals.update(client.refusals)

    async def history(self, jobs: Sequence[str]) -> None:
        """Every job that has ended must be in the history as done."""
        if self._events is None or not self._arena.routers:
            return
        for router in self._arena.routers:
            # What one that was killed had taken, the next one takes over when it is old enough.
            await router.kill()
            await asyncio.sleep(self._arena.build.takeover)
            await router.start()
        settings = Settings(
            broker_url="sqlite:///unused.db", default_queue="chaos", records_url=self._arena.records_url
        )
        history = await open_history(settings, SystemClock())
        try:
            self._tally.unrecorded = await _unrecorded(history, jobs)
            for job in jobs[:EXPIRED]:
                self._tally.told += await self._long_after(job, await history.find(job))
        finally:
            await history.close()

    async def _long_after(self, job: str, record: JobRecord | None) -> list[Fault]:
        """Its log is gone: whoever comes back is told to stay away, and who comes for the first time how it ended."""
        assert self._events is not None, "there is a history"
        if record is None:
            return []
        await self._events.forget(job)
        self._tally.harm["logs expired after the end"] += 1
        port, path = self._arena.url(job)
        try:
            async with await get(port, path, f"Last-Event-ID: {record.state.position}\r\n"):
                return [Fault("repeated", f"job {job}: a stream after its log was gone")]
        except NoStream as refusal:
            if refusal.status != 204:
                return [Fault("wrong", f"job {job}: {refusal} after its log was gone")]
        async with await get(port, path) as response:
            ends = [frame.data["result"] async for frame in frames(response) if frame.event == "done"]
        return [] if len(ends) == 1 and ends[0].startswith(job) else [Fault("wrong", f"job {job} ended so: {ends}")]

    def _of_end(self, view: View, task: "asyncio.Task[View]") -> list[Fault]:
        if not task.cancelled() and task.exception() is not None:
            return [Fault("wrong", f"job {view.script.job}: {task.exception()!r}")]
        if not view.done:
            return [Fault("hung", f"job {view.script.job}: at {view.last} of {view.script.length}, {view.id}")]
        return []

    async def _comes_after_the_end(self, view: View) -> list[Fault]:
        """A browser that comes back with the last id must be told to stay away."""
        deadline = time.monotonic() + GOODBYE
        while time.monotonic() < deadline:
            port, path = self._arena.url(view.script.job)
            try:
                async with await get(port, path, f"Last-Event-ID: {view.id}\r\n"):
                    return [Fault("repeated", f"job {view.script.job}: a stream after its end")]
            except NoStream as refusal:
                if refusal.status == 204:
                    return []
                self._tally.refusals[refusal.status] += 1
            except (OSError, EOFError):
                pass
            await asyncio.sleep(0.05)
        return [Fault("hung", f"job {view.script.job}: no 204 after its end")]

    async def _tails(self, script: Script) -> dict[int, int] | None:
        """How far each generation came, as the log has it; None if the log is not whole."""
        while self._events is not None:
            try:
                reading = await self._events.read(script.job, BEGINNING, 10_000)
            except Unavailable:
                continue
            if reading is None or not reading.resumed or not reading.entries or reading.entries[0].position.seq != 1:
                return None
            return _tails_in(script, reading.entries)
        return None


def _tails_in(script: Script, entries: Sequence[Entry]) -> dict[int, int] | None:
    tails: dict[int, int] = {}
    for entry in entries:
        if entry.kind == "snapshot":
            return None
        for mark in _marks(script, entry):
            tails[mark.generation] = mark.number
    return tails


def _marks(script: Script, entry: Entry) -> list[Mark]:
    event = entry.event()
    if isinstance(event, Token):
        return script.marks(event.text)
    found = None if isinstance(event, Snapshot) else mark_of_stage(getattr(event, "stage", ""))
    return [found] if found else []


def _cut_short(view: View, tails: dict[int, int]) -> list[Fault]:
    """An attempt of which the client did not see all that was written."""
    return [
        Fault("lost", f"job {view.script.job}: what was said after {generation}.{number}, up to {tails[generation]}")
        for generation, number in view.tails.items()
        if tails.get(generation, number) != number
    ]


async def _unrecorded(history: JobHistory, jobs: Sequence[str]) -> list[str]:
    deadline, left = time.monotonic() + HISTORY, list(jobs)
    while left and time.monotonic() < deadline:
        records = [(job, await history.find(job)) for job in left]
        left = [job for job, record in records if record is None or record.state.status != "done"]
        await asyncio.sleep(0.1)
    return left
