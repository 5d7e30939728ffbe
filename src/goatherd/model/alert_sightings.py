"""What in the state of queues, schedules, listeners and the broker needs a person. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from goatherd.model.alert import AlertKind
from goatherd.model.alert_board import Sighting
from goatherd.model.difference import Difference
from goatherd.model.drift_table import told_counts
from goatherd.model.listener import ListenerRow
from goatherd.model.shared_readings import HeldLanes, ScheduleReading, SharedReadings
from goatherd.model.topology import QueueState

#: Seconds by which a schedule may be late before somebody is told.
LATE = 60.0
#: Alerts of one kind at once; what is more becomes one alert.
MOST = 20
#: Names in one message.
NAMED = 5
#: What those are about that are told together.
OTHERS = "others"


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """From where on somebody should look; 0 means never."""

    #: Seconds that a job waits.
    lag: float
    #: Jobs that wait in one queue.
    backlog: int
    #: Dead letters in one queue, or in all where the broker does not tell them apart.
    dead: int
    #: Seconds that a condition lasts which may pass by itself.
    after: float


def of_queues(shared: SharedReadings, limits: Thresholds) -> Iterator[Sighting]:
    """Queues whose jobs wait for too long, or too many of them."""
    for queue in shared.queues:
        # Where the broker does not tell how long the oldest has waited, it is no longer than this.
        waited = shared.backlog.get(queue.name, 0.0) if queue.oldest_age is None else queue.oldest_age
        if queue.ready and 0 < limits.lag <= waited:
            yield Sighting(kind="lag", subject=queue.name, message=_lag(queue, waited), lasted=waited)
        elif 0 < limits.backlog <= queue.ready:
            message = f"{_waiting(queue.ready)}{_why(queue)}"
            yield Sighting(kind="lag", subject=queue.name, message=message, after=limits.after)


def of_waiting_lanes(shared: SharedReadings, limits: Thresholds) -> Iterator[Sighting]:
    """The same of jobs with a key, which are not in the queue itself."""
    states = {queue.name: queue for queue in shared.queues}
    for name, wait in shared.lane_waits.items():
        lanes = "1 lane waits" if wait.lanes == 1 else f"{wait.lanes:,} lanes wait"
        why = _why(states[name]) if name in states else ""
        if wait.lanes and 0 < limits.lag <= wait.oldest:
            message = f"{lanes}, the oldest for {wait.oldest:,.0f} s{why}"
            yield Sighting(kind="lag", subject=name, message=message, lasted=wait.oldest)
        elif 0 < limits.backlog <= wait.lanes:
            yield Sighting(kind="lag", subject=name, message=f"{lanes}{why}", after=limits.after)


def _lag(queue: QueueState, waited: float) -> str:
    if queue.oldest_age is None:
        return f"{_waiting(queue.ready)}, and it has not been empty for {waited:,.0f} s{_why(queue)}"
    return f"{_waiting(queue.ready)}, the oldest for {waited:,.0f} s{_why(queue)}"


def _why(queue: QueueState) -> str:
    if queue.replaced:
        return "; it is being replaced"
    if queue.paused:
        return "; it is paused"
    return "" if queue.consumers else "; no worker takes from it"


def _jobs(count: int) -> str:
    return "1 job" if count == 1 else f"{count:,} jobs"


def _waiting(count: int) -> str:
    return "1 job waits" if count == 1 else f"{count:,} jobs wait"


def of_dead_letters(shared: SharedReadings, app: str, limits: Thresholds) -> Iterator[Sighting]:
    """Dead letters, by queue where that is known."""
    counts = {queue.name: queue.dead for queue in shared.queues if queue.dead is not None}
    for name, count in (counts or {app: shared.dead_letters or 0}).items():
        if 0 < limits.dead <= count:
            letters = "1 dead letter" if count == 1 else f"{count:,} dead letters"
            message = f"{letters}; see `goatherd dead list`, and replay or discard what is there"
            yield Sighting(kind="dead_letters", subject=name, message=message)


def of_lanes(held: Mapping[str, HeldLanes], limits: Thresholds) -> Iterator[Sighting]:
    """Lanes that wait for an operator."""
    for queue, lanes in held.items():
        if limits.dead and lanes.lanes:
            count = "1 lane is" if lanes.lanes == 1 else f"{lanes.lanes:,} lanes are"
            message = f"{count} held, with {_jobs(lanes.jobs)}; see `goatherd lanes list --held`"
            yield Sighting(kind="held_lane", subject=queue, message=message, lasted=lanes.oldest)


def of_schedules(schedules: Iterable[ScheduleReading], limits: Thresholds) -> Iterator[Sighting]:
    """Schedules that are due for long, and nobody fires them; one who comes back fires them at once.

    Also what was missed a short while ago.
    """
    schedules = list(schedules)
    yield from of_missed({each.name: each.missed for each in schedules if each.missed})
    for each in schedules:
        if each.paused or each.gone or each.late < LATE:
            continue
        message = (
            f"it was due {each.late:,.0f} s ago and has not been fired; do schedulers run, and know its time zone?"
        )
        yield Sighting(kind="missed_tick", subject=each.name, message=message, after=limits.after)


def of_missed(missed: Mapping[str, int]) -> Iterator[Sighting]:
    """Ticks that were put on record as missed."""
    for name, count in missed.items():
        ticks = "1 tick was" if count == 1 else f"{count:,} ticks were"
        message = f"{ticks} not fired in time; see `goatherd schedules list`"
        yield Sighting(kind="missed_tick", subject=name, message=message)


def of_listeners(rows: Iterable[ListenerRow], limits: Thresholds) -> Iterator[Sighting]:
    """Listeners that do not run, one alert for all of a pattern."""
    ailing: defaultdict[str, list[ListenerRow]] = defaultdict(list)
    for row in rows:
        if not row.standing.healthy:
            ailing[row.pattern].append(row)
    for pattern, those in ailing.items():
        told = "; ".join(f"{row.queue} is {row.standing.condition}: {row.standing.why}" for row in those[:NAMED])
        more = f"; and {len(those) - NAMED:,} more" if len(those) > NAMED else ""
        message = f"{told}{more}; see `goatherd listeners list --unhealthy`"
        yield Sighting(kind="listener", subject=pattern, message=message, after=limits.after)


def of_drift(differences: Sequence[Difference], app: str) -> Iterator[Sighting]:
    """What the broker has otherwise than the app wants it."""
    if differences:
        message = f"the broker is not as wanted ({told_counts(differences)}); see `goatherd topology plan`"
        yield Sighting(kind="drift", subject=app, message=message)


def of_troubles(kind: AlertKind, troubles: Mapping[str, str], limits: Thresholds) -> Iterator[Sighting]:
    """What this process cannot do now, by what it cannot do it for."""
    for subject, trouble in troubles.items():
        yield Sighting(kind=kind, subject=subject, message=trouble, after=limits.after)


def bounded(sightings: Collection[Sighting], most: int = MOST) -> tuple[Sighting, ...]:
    """The same with at most so many of a kind: if all queues lag, that is one thing to look at and not a thousand."""
    by_kind: defaultdict[AlertKind, dict[str, Sighting]] = defaultdict(dict)
    for sighting in sightings:
        by_kind[sighting.kind].setdefault(sighting.subject, sighting)
    kept: list[Sighting] = []
    for kind, those in by_kind.items():
        subjects = sorted(those)
        if len(subjects) <= most:
            kept += those.values()
            continue
        first, others = subjects[: most - 1], subjects[most - 1 :]
        kept += [those[subject] for subject in first]
        named = ", ".join(others[:NAMED]) + (", …" if len(others) > NAMED else "")
        message = f"the same holds for {len(others):,} more: {named}"
        after = min(those[subject].after for subject in others)
        lasted = max(those[subject].lasted for subject in others)
        kept.append(Sighting(kind=kind, subject=OTHERS, message=message, after=after, lasted=lasted))
    return tuple(kept)
