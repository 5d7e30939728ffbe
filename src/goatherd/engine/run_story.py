"""What those who watch a run are told: how far its steps are, and how it ended. Telling never holds up the work."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from goatherd.engine.shared_answers import EventsOpener
from goatherd.errors import Unavailable
from goatherd.model.admission import Append
from goatherd.model.event import Done, Event, Failed, Progress
from goatherd.model.job_state import JobState
from goatherd.model.run_record import WHOLE, Advance, EndedRun, UnitClaim, UnitState
from goatherd.ports.clock import Clock
from goatherd.ports.telemetry import Telemetry

#: Seconds for which what code tells is collected, and how far steps are: of these only the newest word counts.
WINDOW, STEPS_WINDOW = 0.05, 0.25
#: Seconds that a step must last for its beginning to be told before its end.
WORTH_TELLING = 0.25
#: Words that may wait to be written.
MOST_UNWRITTEN = 5_000

log = logging.getLogger("goatherd.pipelines")

_STATUS: Mapping[UnitState, str] = {"spread": "running", "ready": "retrying", "held": "waiting"}


@dataclass(frozen=True)
class _Word:
    event: Event
    #: The step that it is about, where a later word about it takes its place.
    step: str | None = None
    #: Told when it is written; only of a last word.
    written: "asyncio.Future[None] | None" = None


class RunStory:
    """The runs that one process has a part in."""

    def __init__(self, open_events: EventsOpener, clock: Clock, telemetry: Telemetry) -> None:
        self._open_events = open_events
        self._clock = clock
        self._telemetry = telemetry
        #: By run, in their order.
        self._waiting: dict[str, list[_Word]] = {}
        self._unwritten = 0
        self._writing: dict[str, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        #: Steps that have begun, which is told if they last.
        self._begun: dict[tuple[str, str], asyncio.TimerHandle] = {}
        self._away = False

    def begun(self, claim: UnitClaim) -> None:
        """A step starts; that items of one do is not told one by one."""
        if claim.key.item == WHOLE and not claim.failures:
            loop = asyncio.get_running_loop()
            key = (claim.key.run, claim.key.step)
            self._begun[key] = loop.call_later(WORTH_TELLING, self._tell_step, *key, "started", 0, 1)

    def advanced(self, advances: Iterable[Advance]) -> None:
        """Steps are so far now."""
        for each in advances:
            self._tell_step(each.run, each.step, _STATUS.get(each.state, each.state), each.done, each.total)

    def tell(self, run: str, event: Progress) -> None:
        """One more word about a run."""
        self._add(run, _Word(event))

    async def room(self) -> None:
        """Return at once, or when not so much waits to be written."""
        if self._unwritten >= MOST_UNWRITTEN // 2:
            await self.written()

    async def ended(self, run: EndedRun, result: bytes | None) -> None:
        """The last word, after all others; raises Unavailable."""
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(run.id, []).append(_Word(self._end(run, result), written=written))
        self._unwritten += 1
        self._write(run.id)
        await written

    async def written(self) -> None:
        """Return when all that was told is written or lost."""
        while self._waiting or self._writing:
            self._flush()
            await asyncio.wait(list(self._writing.values()))

    async def close(self, deadline: float) -> None:
        """Write what is left, within so many seconds."""
        try:
            async with asyncio.timeout(deadline):
                await self.written()
        except TimeoutError:
            self._telemetry.events_lost(self._unwritten, "store away")
            for writing in self._writing.values():
                writing.cancel()
            await asyncio.gather(*self._writing.values(), return_exceptions=True)
        for timer in (*self._begun.values(), *filter(None, [self._timer])):
            timer.cancel()

    # --- inside -----------------------------------------------------------------------------------

    def _forget_beginning(self, key: tuple[str, str]) -> None:
        timer = self._begun.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _tell_step(self, run: str, step: str, status: str, done: int, total: int) -> None:
        self._forget_beginning((run, step))
        percent = round(100.0 * done / total, 1) if total else 100.0
        event = Progress(
            attempt=0,
            at=self._clock.now(),
            stage=step,
            status=status,
            percent=percent,
            fields={"done": done, "total": total},
        )
        self._add(run, _Word(event, step))

    def _add(self, run: str, word: _Word) -> None:
        if self._unwritten >= MOST_UNWRITTEN:
            self._telemetry.events_lost(1, "store away")
            return
        words = self._waiting.setdefault(run, [])
        if word.step is not None:
            kept = [each for each in words if each.step != word.step]
            self._unwritten -= len(words) - len(kept)
            words[:] = kept
        words.append(word)
        self._unwritten += 1
        self._write_within(WINDOW if word.step is None else STEPS_WINDOW)

    def _write_within(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            if self._timer.when() <= loop.time() + seconds:
                return
            self._timer.cancel()
        self._timer = loop.call_later(seconds, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        # Runs side by side, so that the store can take them together; the words about one in their order.
        for run in list(self._waiting):
            self._write(run)

    def _write(self, run: str) -> None:
        if run not in self._writing:
            writing = asyncio.create_task(self._write_all(run), name=f"goatherd events of run {run}")
            self._writing[run] = writing

    async def _write_all(self, run: str) -> None:
        try:
            while words := self._waiting.pop(run, None):
                # Nothing comes after an end in one step; a run that was taken up again may have two.
                ends = [place for place, word in enumerate(words, 1) if word.written is not None]
                for first, last in pairwise([0, *ends, *(() if ends[-1:] == [len(words)] else (len(words),))]):
                    await self._write_words(run, words[first:last])
        finally:
            del self._writing[run]

    async def _write_words(self, run: str, words: Sequence[_Word]) -> None:
        """Write them in one step; if that cannot be, they are lost."""
        self._unwritten -= len(words)
        try:
            await self._append(run, [word.event for word in words])
        except Unavailable as error:
            self._lose(run, words, error)
            return
        except Exception as error:
            log.exception("How far run %s is could not be told; this is a fault of Goatherd", run)
            # Whoever waits for it would wait for ever.
            self._lose(run, words, Unavailable(f"How run {run} ended could not be told: {error!r}"))
            return
        self._away = False
        for word in words:
            if word.written is not None and not word.written.done():
                word.written.set_result(None)

    async def _append(self, run: str, told: Sequence[Event]) -> None:
        events = await self._open_events()
        outcome, end = await events.append(run, Append(events=told)), told[-1]
        if outcome.answer != "closed" or not isinstance(end, Done | Failed):
            return
        state = await events.state(run)
        if state is not None and not _tells(state, end):
            # Of an end before the run was taken up again somebody told too late. The records know better.
            await events.forget(run)
            await events.append(run, Append(events=[end]))

    def _lose(self, run: str, words: Sequence[_Word], error: Unavailable) -> None:
        self._telemetry.events_lost(len(words), "store away")
        if not self._away:
            log.warning("How far run %s is could not be told: %s", run, error)
            self._away = True
        for word in words:
            if word.written is not None and not word.written.done():
                word.written.set_exception(error)

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


def _tells(state: JobState, end: Done | Failed) -> bool:
    """Whether a log that is closed tells of this end."""
    if isinstance(end, Done):
        return state.status == "done" and state.result == bytes(end.result)
    return state.status == ("cancelled" if end.reason == "cancelled" else "failed")
