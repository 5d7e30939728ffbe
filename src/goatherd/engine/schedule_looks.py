"""What metrics tell of schedules."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from goatherd.model.label_limit import MOST_LABELS
from goatherd.model.schedule import Firing, ScheduleState
from goatherd.model.shared_readings import ScheduleReading
from goatherd.ports.clock import Clock
from goatherd.ports.schedules import ScheduleOperations

#: Firings among which is looked for what came before the newest.
FAR_BACK = 100
#: Seconds for which missed ticks are news: whoever put them on record may have died before it told anybody.
NEWS = 300.0

#: Ticks of which nothing came.
_PASSED_OVER = ("missed", "skipped")

OperationsOpener: TypeAlias = Callable[[], Awaitable[ScheduleOperations]]


@dataclass
class _Past:
    """What is remembered of one schedule."""

    #: When it last fired and when it last ended well, as far back as it was looked for.
    fired: float | None = None
    success: float | None = None
    #: What was missed before it was first seen here.
    missed: Sequence[Firing] = ()


class ScheduleLooks:
    """Looks at the schedules of one app."""

    def __init__(self, operations: OperationsOpener, clock: Clock) -> None:
        self._operations = operations
        self._clock = clock
        self._pasts: dict[str, _Past] = {}

    async def look(self) -> Mapping[str, Any]:
        """The schedules as they stand now, those of programs first; raises Unavailable."""
        operations = await self._operations()
        states = sorted(await operations.list(), key=lambda state: (state.origin != "code", state.name))
        # Times of schedules cannot be joined, so of very many only these are told.
        told = states[:MOST_LABELS]
        for state in told:
            await self._note(operations, state)
        self._pasts = {state.name: self._pasts[state.name] for state in told}
        now = self._clock.now()
        return {"schedules": [_reading(state, self._pasts[state.name], now) for state in told]}

    async def _note(self, operations: ScheduleOperations, state: ScheduleState) -> None:
        last, end = state.last, state.last_end
        past = self._pasts.get(state.name)
        if past is None or (last is not None and last.state in _PASSED_OVER):
            # What came before that is found in its history alone.
            past = await self._looked_up(operations, state, past)
        if last is not None and last.state not in _PASSED_OVER:
            past.fired = last.fired
        if end is not None and end.state == "done":
            past.success = end.ended
        self._pasts[state.name] = past

    async def _looked_up(self, operations: ScheduleOperations, state: ScheduleState, past: _Past | None) -> _Past:
        last, end = state.last, state.last_end
        is_new = last is not None and (last.state in _PASSED_OVER or self._clock.now() - last.fired < NEWS)
        ended_badly = end is not None and end.state != "done"
        found = await operations.history(state.name, FAR_BACK) if is_new or ended_badly else ()
        fired = next((each.fired for each in found if each.state not in _PASSED_OVER), None)
        if past is None:
            success = next((each.ended for each in found if each.state == "done"), None)
            return _Past(fired, success, [each for each in found if _ticks_missed(each)])
        past.fired = past.fired if fired is None else fired
        return past


def _ticks_missed(firing: Firing) -> int:
    return firing.missed + (firing.state == "missed")


def _reading(state: ScheduleState, past: _Past, now: float) -> ScheduleReading:
    end = state.last_end
    return ScheduleReading(
        name=state.name,
        paused=state.paused,
        gone=state.origin == "gone",
        next_at=state.next_at,
        late=0.0 if state.next_at is None else max(0.0, now - state.next_at),
        missed=sum(_ticks_missed(each) for each in past.missed if now - each.fired < NEWS),
        open=state.open,
        waiting=state.waiting,
        last_fired=past.fired,
        last_success=past.success,
        failed=end is not None and end.state != "done",
        took=None if end is None else _duration(end),
    )


def _duration(firing: Firing) -> float | None:
    if firing.begun is None or firing.ended is None:
        return None
    return max(0.0, firing.ended - firing.begun)
