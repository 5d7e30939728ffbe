"""What those who watch a run are told: how far its steps are, and how it ended. Telling never holds up the work."""

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from goatherd.engine.shared_answers import EventsOpener
from goatherd.errors import Unavailable
from goatherd.model.admission import Append
from goatherd.model.event import Done, Event, Failed, Progress
from goatherd.model.run_record import WHOLE, Advance, EndedRun, UnitClaim, UnitState
from goatherd.ports.clock import Clock
from goatherd.ports.events import Events
from goatherd.ports.telemetry import Telemetry

#: Words that may wait to be written.
MOST_UNWRITTEN = 5_000

log = logging.getLogger("goatherd.pipelines")

_STATUS: Mapping[UnitState, str] = {"spread": "running", "ready": "retrying", "held": "waiting"}


class RunStory:
    """The runs that one process has a part in."""

    def __init__(self, open_events: EventsOpener, clock: Clock, telemetry: Telemetry) -> None:
        self._open_events = open_events
        self._clock = clock
        self._telemetry = telemetry
        self._unwritten: deque[tuple[str, Progress]] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._away = False

    def begun(self, claim: UnitClaim) -> None:
        """A step starts; that items of one do is not told one by one."""
        if claim.key.item == WHOLE and not claim.failures:
            counts = {"done": 0, "total": 1}
            self.tell(claim.key.run, self._progress(claim.key.step, 0.0, "started", counts))

    def advanced(self, advances: Iterable[Advance]) -> None:
        """Steps are so far now."""
        for each in advances:
            percent = 100.0 * each.done / each.total if each.total else 100.0
            status = _STATUS.get(each.state, each.state)
            counts = {"done": each.done, "total": each.total}
            self.tell(each.run, self._progress(each.step, percent, status, counts))

    def tell(self, run: str, event: Progress) -> None:
        """One more word about a run."""
        if len(self._unwritten) >= MOST_UNWRITTEN:
            self._telemetry.events_lost(1, "store away")
            return
        self._unwritten.append((run, event))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write(), name="goatherd events of runs")

    async def room(self) -> None:
        """Return at once, or when not so much waits to be written."""
        if len(self._unwritten) >= MOST_UNWRITTEN // 2:
            await self.written()

    async def ended(self, run: EndedRun, result: bytes | None) -> None:
        """The last word; raises Unavailable."""
        await self.written()
        await (await self._open_events()).append(run.id, Append(events=[self._end(run, result)]))

    async def written(self) -> None:
        """Return when all that was told is written or lost."""
        while self._writing is not None and not self._writing.done():
            await asyncio.wait([self._writing])

    async def close(self, deadline: float) -> None:
        """Write what is left, within so many seconds."""
        if self._writing is not None:
            _, late = await asyncio.wait([self._writing], timeout=deadline)
            for writing in late:
                writing.cancel()
                self._telemetry.events_lost(len(self._unwritten), "store away")

    async def _write(self) -> None:
        try:
            events = await self._open_events()
        except Unavailable as error:
            self._lose(len(self._unwritten), "any run", error)
            self._unwritten.clear()
            return
        while self._unwritten:
            told, self._unwritten = self._unwritten, deque()
            by_run: dict[str, list[Progress]] = {}
            for run, event in told:
                by_run.setdefault(run, []).append(event)
            # Runs side by side, so that the store can take them together; the words about one in their order.
            await asyncio.gather(*(self._write_of(events, run, words) for run, words in by_run.items()))

    async def _write_of(self, events: Events, run: str, words: Sequence[Progress]) -> None:
        for written, event in enumerate(words):
            try:
                await events.append(run, Append(events=[event]))
                self._away = False
            except Unavailable as error:
                self._lose(len(words) - written, run, error)
                return

    def _lose(self, count: int, run: str, error: Unavailable) -> None:
        self._telemetry.events_lost(count, "store away")
        if not self._away:
            log.warning("How far run %s is could not be told: %s", run, error)
            self._away = True

    def _progress(self, step: str, percent: float, status: str, counts: Mapping[str, int]) -> Progress:
        return Progress(
            attempt=0, at=self._clock.now(), stage=step, status=status, percent=round(percent, 1), fields=counts
        )

    def _end(self, run: EndedRun, result: bytes | None) -> Event:
        if run.state == "done":
            return Done(attempt=0, at=run.ended_at, result=msgspec.Raw(result or b"null"))
        if run.state == "cancelled" or run.trouble is None:
            return Failed(
                attempt=0, at=run.ended_at, reason="cancelled", error="JobCancelled", message="it was cancelled"
            )
        trouble = run.trouble
        return Failed(
            attempt=0,
            at=run.ended_at,
            reason="failed",
            error=trouble.error_type,
            message=f"step {run.step}: {trouble.message}",
            traceback=trouble.traceback,
        )
