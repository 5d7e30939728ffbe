"""The metrics of what all processes share: each process that looks tells the same, so take the `max` of them."""

from collections.abc import Callable
from typing import TypeAlias

from goatherd.model.lane_wait import LaneWait
from goatherd.model.metric_family import Family, Numbers, by_name
from goatherd.model.readings import Readings
from goatherd.model.shared_readings import HeldLanes, ScheduleReading, TallyReading
from goatherd.model.topology import QueueState

_OfQueue: TypeAlias = Callable[[QueueState], float | None]
_OfSchedule: TypeAlias = Callable[[ScheduleReading], float | None]
_OfLanes: TypeAlias = Callable[[HeldLanes], float]
_OfWait: TypeAlias = Callable[[LaneWait], float]
_OfTally: TypeAlias = Callable[[TallyReading], float]


def _queue(name: str, text: str, value: _OfQueue) -> Family:
    def read(readings: Readings) -> Numbers:
        told = ((state.name, value(state)) for state in readings.shared.queues)
        return [((queue,), number) for queue, number in told if number is not None]

    return Family(name=f"goatherd_queue_{name}", kind="gauge", text=text, labels=("queue",), numbers=read)


def _schedule(name: str, text: str, value: _OfSchedule) -> Family:
    def read(readings: Readings) -> Numbers:
        told = ((each.name, value(each)) for each in readings.shared.schedules)
        return [((schedule,), number) for schedule, number in told if number is not None]

    return Family(name=f"goatherd_schedule_{name}", kind="gauge", text=text, labels=("schedule",), numbers=read)


def _held(name: str, text: str, value: _OfLanes) -> Family:
    def read(readings: Readings) -> Numbers:
        return [((queue,), value(lanes)) for queue, lanes in readings.shared.held.items()]

    return Family(name=f"goatherd_lanes_held{name}", kind="gauge", text=text, labels=("queue",), numbers=read)


def _ready_lanes(name: str, text: str, value: _OfWait) -> Family:
    def read(readings: Readings) -> Numbers:
        return [((queue,), value(wait)) for queue, wait in readings.shared.lane_waits.items()]

    return Family(name=f"goatherd_lanes_ready{name}", kind="gauge", text=text, labels=("queue",), numbers=read)


def _tally(name: str, text: str, value: _OfTally) -> Family:
    def read(readings: Readings) -> Numbers:
        return [((tally,), value(reading)) for tally, reading in readings.shared.tallies.items()]

    return Family(name=f"goatherd_tally_{name}", kind="gauge", text=text, labels=("tally",), numbers=read)


def _oldest(queue: QueueState) -> float | None:
    """Of an empty queue it is known, also where the broker does not tell."""
    return queue.oldest_age if queue.ready else 0.0


def _dead_letters(readings: Readings) -> Numbers:
    kept = readings.shared.dead_letters
    return [] if kept is None else [((), kept)]


SHARED_FAMILIES = (
    _queue("ready", "Jobs that could be done now and that nobody has", lambda queue: queue.ready),
    _queue("delayed", "Jobs that are not due yet", lambda queue: queue.delayed),
    _queue("running", "Jobs that workers have", lambda queue: queue.running),
    _queue("consumers", "Workers that take from it", lambda queue: queue.consumers),
    _queue("oldest_seconds", "How long the oldest ready job has waited", _oldest),
    _queue("dead", "Dead letters of this queue", lambda queue: queue.dead),
    _queue("paused", "1 while it is paused", lambda queue: float(queue.paused)),
    Family(
        name="goatherd_queue_backlog_seconds",
        kind="gauge",
        text="For how long there were ready jobs whenever somebody looked",
        labels=("queue",),
        numbers=lambda now: by_name(now.shared.backlog),
    ),
    Family(
        name="goatherd_dead_letters_kept",
        kind="gauge",
        text="Dead letters in all that wait for somebody",
        numbers=_dead_letters,
    ),
    _schedule("last_run_timestamp_seconds", "When it last fired", lambda each: each.last_fired),
    _schedule("last_success_timestamp_seconds", "When a run last ended well", lambda each: each.last_success),
    _schedule("next_run_timestamp_seconds", "When it is due next", lambda each: each.next_at),
    _schedule("last_run_seconds", "How long the newest run took that ended", lambda each: each.took),
    _schedule("last_run_failed", "1 if the newest run that ended did not end well", lambda each: float(each.failed)),
    _schedule("open", "Firings that are worked on", lambda each: each.open),
    _schedule("waiting", "Firings that wait for those", lambda each: each.waiting),
    _schedule("paused", "1 while it is paused", lambda each: float(each.paused)),
    _schedule("gone", "1 if no program that lives has it", lambda each: float(each.gone)),
    _ready_lanes("", "Lanes whose first job could be done now and that nobody has", lambda wait: wait.lanes),
    _ready_lanes("_oldest_seconds", "How long the oldest of them has waited", lambda wait: wait.oldest),
    _held("", "Lanes that wait for an operator", lambda held: held.lanes),
    _held("_jobs", "Jobs in such lanes", lambda held: held.jobs),
    _held("_oldest_seconds", "How long the oldest of them is held", lambda held: held.oldest),
    _tally("keys", "Keys whose totals wait to become jobs", lambda tally: tally.keys),
    _tally("waiting", "The sum of these totals", lambda tally: tally.total),
    Family(
        name="goatherd_seen",
        kind="gauge",
        text="1 if this was seen when it was last looked at, 0 if its server did not tell",
        labels=("what",),
        numbers=lambda now: by_name(now.shared.seen),
    ),
)
