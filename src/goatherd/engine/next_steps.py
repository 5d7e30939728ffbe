"""Steps with which a worker goes on by itself, because they follow what it has just done.

It asks for them in the exchange in which it tells that the step before is done, so that nobody has to be told of them.
Whatever it does not get is told of as ever.
"""

from collections import deque

from goatherd.engine.pauses import Pauses
from goatherd.engine.step_book import Place, StepBook
from goatherd.model.run_record import UnitKey


class NextSteps:
    """Those of one worker, which takes from some queues."""

    def __init__(self, book: StepBook, queues: frozenset[str], pauses: Pauses) -> None:
        #: Where others may wait for messages, each step has one.
        self._queues = queues - book.described
        self._pauses = pauses
        self._waiting: deque[UnitKey] = deque()

    async def start(self) -> None:
        """See what is paused, without which it goes on with nothing."""
        await self._pauses.known()

    def after(self, place: Place, run: str) -> None:
        """A step is done as a whole: note what follows it, and nothing else."""
        for name in place.onward.then:
            if self._is_ours(Place(place.pipeline, place.pipeline.steps[name])):
                self._waiting.append(UnitKey(run, name))

    def take(self, count: int) -> list[UnitKey]:
        """As many as there is room for; the others are told of by those who see to that."""
        taken = [self._waiting.popleft() for _ in range(min(count, len(self._waiting)))]
        self._waiting.clear()
        return taken

    async def stop(self) -> None:
        """Go on with nothing more."""
        self._waiting.clear()
        await self._pauses.stop()

    def _is_ours(self, place: Place) -> bool:
        step = place.step
        alone = len(step.before) == 1 and not (step.is_map or step.remote or step.when is not None)
        if not alone or step.task.queue not in self._queues:
            return False
        paused = self._pauses.recent()
        return paused is not None and step.task.queue not in paused
