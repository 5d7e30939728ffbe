"""What metrics tell of lanes that are ready or held, and of tallies."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeAlias

from goatherd.model.label_limit import limited
from goatherd.model.lane import LaneState
from goatherd.model.lane_wait import LaneWait
from goatherd.model.shared_readings import HeldLanes, TallyReading
from goatherd.ports.clock import Clock
from goatherd.ports.lanes import LaneOperations
from goatherd.ports.tallies import Tallies

#: Held lanes that are looked at; these alone are found without a look at all lanes.
MOST_HELD = 1000

Look: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]


def lane_look(
    operations: Callable[[], Awaitable[LaneOperations]],
    queues: Iterable[str],
    named: Callable[[str], str],
    clock: Clock,
) -> Look:
    """Lanes that wait for workers, and held ones, by queue; queues of keyed tasks that have none are told with 0."""
    all_queues = sorted(set(queues))
    keyed = sorted({named(queue) for queue in all_queues})

    async def look() -> Mapping[str, Any]:
        lanes = await operations()
        waits = await lanes.waiting(all_queues)
        states = await lanes.find(condition="held", limit=MOST_HELD)
        return {
            "lane_waits": waits_by_queue(waits, named),
            "held": held_by_queue(states, keyed, named, clock.now()),
        }

    return look


def waits_by_queue(waits: Iterable[LaneWait], named: Callable[[str], str]) -> Mapping[str, LaneWait]:
    """What waits, by the names under which queues are told."""
    found: dict[str, LaneWait] = {}
    for wait in waits:
        name = named(wait.queue)
        found[name] = _waits_joined(found[name], wait) if name in found else wait
    return limited(found, _waits_joined)


def _waits_joined(one: LaneWait, other: LaneWait) -> LaneWait:
    return LaneWait(queue=one.queue, lanes=one.lanes + other.lanes, oldest=max(one.oldest, other.oldest))


def held_by_queue(
    states: Iterable[LaneState], keyed: Iterable[str], named: Callable[[str], str], now: float
) -> Mapping[str, HeldLanes]:
    """How many are held, what waits in them, and for how long."""
    found: defaultdict[str, HeldLanes] = defaultdict(lambda: HeldLanes(lanes=0, jobs=0, oldest=0.0))
    for queue in keyed:
        found[queue] = found.default_factory()  # type: ignore[misc]
    for state in states:
        queue = named(state.queue)
        one = HeldLanes(lanes=1, jobs=state.length, oldest=max(0.0, now - state.since))
        found[queue] = _joined(found[queue], one)
    return limited(found, _joined)


def _joined(one: HeldLanes, other: HeldLanes) -> HeldLanes:
    return HeldLanes(
        lanes=one.lanes + other.lanes, jobs=one.jobs + other.jobs, oldest=max(one.oldest, other.oldest)
    )  # fmt: skip


def tally_look(tallies: Callable[[], Awaitable[Tallies]], names: Iterable[str]) -> Look:
    """What waits in each tally."""

    async def look() -> Mapping[str, Any]:
        store = await tallies()
        waiting = {name: await store.waiting(name) for name in names}
        return {"tallies": {name: TallyReading(keys=keys, total=total) for name, (keys, total) in waiting.items()}}

    return look
