"""The scene of a job that streams its answer, while a watcher drops off and the worker is killed."""

import asyncio
import time

from goatherd import events
from goatherd.cli.demo.shop import story, tell_story
from goatherd.cli.demo.stage import PATIENCE, SceneFailed, Stage
from goatherd.run import Run

WORDS = 120
#: How many words the watcher has seen when it drops off, and at least how many when the worker is killed.
BEFORE_THE_TUNNEL, BEFORE_THE_KILL = 10, 30


async def stream(stage: Stage) -> None:
    """Whoever watches misses nothing and sees nothing twice, and never the text of two attempts."""
    stage.open_scene("Stream", "run = await tell_story.start(120)\nasync for event in run.events(after=last_seen): ...")
    run = await tell_story.start(WORDS)
    watcher = Watcher(stage, run)
    await watcher.watch(until=BEFORE_THE_TUNNEL)
    await stage.say(f"A watcher has seen {len(watcher.text.split())} words and drops off. The job goes on.")
    missed = await watcher.missed()
    await watcher.watch(until=BEFORE_THE_KILL)
    await stage.check(
        "who comes back resumes by the last event's id", watcher.complete, f"{missed} characters caught up"
    )
    teller = next(note["pid"] for note in stage.notes("story") if note["job"] == run.id)
    stage.kill_worker(teller)
    await stage.say(f"Worker {teller} is killed after {len(watcher.text.split())} words; another one begins anew.")
    await stage.start_worker()
    await watcher.watch()
    await stage.check(
        "the text restarts cleanly and is whole", watcher.text == story(WORDS), f"{watcher.attempts} attempts"
    )
    await stage.check("no event was missed or told twice", watcher.complete, f"{len(watcher.seen)} events, each once")


class Watcher:
    """Reads a run as a browser would: a new text with every attempt, and back by the last id."""

    def __init__(self, stage: Stage, run: Run[int]) -> None:
        self._stage = stage
        self._run = run
        self._last: str | None = None
        self.seen: list[int] = []
        self.attempts = 0
        self.text = ""

    @property
    def complete(self) -> bool:
        """Whether the events were every one, once and in order."""
        return self.seen == list(range(1, len(self.seen) + 1))

    async def missed(self) -> int:
        """Wait until the job has told more than was seen here; returns how many characters."""
        deadline = time.monotonic() + PATIENCE
        while (more := len(await self._run.text()) - len(self.text)) <= 0:
            if time.monotonic() > deadline:
                raise self._failed()
            await asyncio.sleep(0.02)
        return more

    async def watch(self, until: int | None = None) -> None:
        """Go on after the last event, until there are so many words or the job has ended."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._watch(until)
        except TimeoutError:
            raise self._failed() from None

    async def _watch(self, until: int | None) -> None:
        async for event in self._run.events(after=self._last):
            self._last = event.id
            self.seen.append(event.seq)
            match event:
                case events.Started():
                    self.attempts += 1
                    self.text = ""
                case events.Token(text=text):
                    self.text += text
                case events.Failed(message=message):
                    raise SceneFailed(f"the story failed: {message}")
            if until is not None and len(self.text.split()) >= until:
                return

    def _failed(self) -> SceneFailed:
        return SceneFailed(f"the story did not go on within {PATIENCE:g} s. {self._stage.last_words()}")
