"""What metrics tell of schedules."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from goatherd.model.label_limit import MOST_LABELS
from goatherd.model.schedule import Firing, ScheduleState
from goatherd.model.shared_readings import ScheduleReading
from goatherd.ports.schedules import ScheduleOperations

#: Firings among which a success is looked for that came before the newest end.
FAR_BACK = 100

OperationsOpener: TypeAlias = Callable[[], Awaitable[ScheduleOperations]]


class ScheduleLooks:
    """Looks at the schedules of one app."""

    def __init__(self, operations: OperationsOpener) -> None:
        self._operations = operations
        #: When each last ended well, as far as it was looked for; it can only become later.
        self._successes: dict[str, float | None] = {}

    async def look(self) -> Mapping[str, Any]:
        """The schedules as they stand now, those of programs first; raises Unavailable."""
        operations = await self._operations()
        states = sorted(await operations.list(), key=lambda state: (state.origin != "code", state.name))
        # Times of schedules cannot be joined, so of very many only these are told.
        told = states[:MOST_LABELS]
        for state in told:
            await self._note_success(operations, state)
        self._successes = {state.name: self._successes[state.name] for state in told}
        return {"schedules": [_reading(state, self._successes[state.name]) for state in told]}

    async def _note_success(self, operations: ScheduleOperations, state: ScheduleState) -> None:
        end = state.last_end
        if end is not None and end.state == "done":
            self._successes[state.name] = end.ended
        elif state.name not in self._successes:
            found = await operations.history(state.name, FAR_BACK) if end is not None else ()
            self._successes[state.name] = next((each.ended for each in found if each.state == "done"), None)


def _reading(state: ScheduleState, success: float | None) -> ScheduleReading:
    last, end = state.last, state.last_end
    return ScheduleReading(
        name=state.name,
        paused=state.paused,
        gone=state.origin == "gone",
        next_at=state.next_at,
        open=state.open,
        waiting=state.waiting,
        last_fired=None if last is None else last.fired,
        last_success=success,
        failed=end is not None and end.state != "done",
        took=None if end is None else _duration(end),
    )


def _duration(firing: Firing) -> float | None:
    if firing.begun is None or firing.ended is None:
        return None
    return max(0.0, firing.ended - firing.begun)
