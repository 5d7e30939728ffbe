"""Tell of runs that have ended, each at least once: first whoever goes on from there, then those who watch."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from goatherd.engine.run_story import RunStory
from goatherd.engine.step_arguments import read_results
from goatherd.model.run_record import EndedRun
from goatherd.ports.steps import Steps

#: Ends that are told in one step.
BATCH = 200


class Endings:
    """As one process tells them."""

    def __init__(self, steps: Steps, story: RunStory) -> None:
        self._steps = steps
        self._story = story
        #: Told of every end, at least once and before those who watch.
        self.on_ends: Callable[[Sequence[EndedRun]], Awaitable[None]] | None = None
        #: Ends that were told, but not yet to those who watch.
        self._noted: set[tuple[str, float]] = set()

    async def tell(self) -> None:
        """Tell all that were not told; raises Unavailable."""
        while untold := await self._steps.ended(BATCH + len(self._noted)):
            await self._note(untold)
            ended = untold[:BATCH]
            # By the records, not by our own plan: it may be a run of another version of the program.
            done = [(run.id, (run.step,)) for run in ended if run.state == "done"]
            results = await read_results(self._steps, done)
            await asyncio.gather(
                *(self._story.ended(run, next(iter(results.get(run.id, {}).values()), None)) for run in ended)
            )
            await self._steps.told(ended)

    async def _note(self, untold: Sequence[EndedRun]) -> None:
        """Say it to whoever goes on from there, and must not wait until events that are away come back."""
        news = [run for run in untold if (run.id, run.ended_at) not in self._noted]
        if news and self.on_ends is not None:
            await self.on_ends(news)
        self._noted = {(run.id, run.ended_at) for run in untold}
