"""Firings of schedules: put on record, begun, ended."""

import math

import apsw

from goatherd.adapters.schedule_rows import depends_on_ends, firing_in, may_overlap, unpacked_rule
from goatherd.adapters.sqlite.queries import rows, run, value
from goatherd.adapters.sqlite.schedules_row import ScheduleRow, find, find_known, get
from goatherd.model.schedule import Decision, Firing, FiringEnd, NewFiring


def decide(connection: apsw.Connection, now: float, decision: Decision) -> bool:
    """Do as was decided, if nothing has changed since."""
    schedule = find(connection, decision.name)
    if schedule is None or schedule.rev != decision.rev:
        return False
    for new in decision.firings:
        _put(connection, now, schedule, new)
        if schedule.last_tick is None or new.tick > schedule.last_tick:
            schedule.last_tick = new.tick
    schedule.next_at, schedule.awaits = decision.next_at, int(decision.next_at is None)
    schedule.save(connection, now)
    return True


def trigger(connection: apsw.Connection, now: float, name: str, id: str) -> Firing | None:
    """Fire it now."""
    existing = rows(connection, "find_firing", (id,))
    if existing:
        return read(connection, existing[0][0])
    schedule = find_known(connection, name)
    if schedule is None:
        return None
    moment = math.floor(now * 1_000_000)
    while value(connection, "any_triggered_firing", (schedule.id, moment / 1_000_000)):
        moment += 1
    free = may_overlap(unpacked_rule(schedule.rule)) or not (schedule.open or schedule.waiting)
    new = NewFiring(tick=moment / 1_000_000, id=id, state="due" if free else "waiting")
    place = _put(connection, now, schedule, new, triggered=True)
    assert place is not None
    schedule.save(connection, now)
    return read(connection, place)


def begin(connection: apsw.Connection, now: float, id: str, *, ended: bool) -> None:
    """Its run has begun, or its job is sent."""
    for place, of, state in rows(connection, "find_firing", (id,)):
        if state != "due":
            continue
        schedule = get(connection, of)
        run(connection, "begin_firing", (now, place))
        schedule.last_fired = now
        if ended:
            _end(connection, now, schedule, place, "done")
        schedule.save(connection, now)


def end(connection: apsw.Connection, now: float, told: FiringEnd) -> bool:
    """Its run has ended; true if there is something to do now."""
    for place, of, state in rows(connection, "find_firing", (told.id,)):
        schedule = get(connection, of)
        if state in ("due", "open"):
            to_do = _end(connection, now, schedule, place, told.state)
            schedule.save(connection, now)
            return to_do
        if state not in ("waiting", told.state):
            run(connection, "end_firing", (told.state, now, place))
            schedule.save(connection, now)
    return False


def read(connection: apsw.Connection, place: int | None) -> Firing | None:
    """The firing that is on record there."""
    for name, *row in rows(connection, "get_firing", (place,)):
        return firing_in(name, row)
    return None


def _put(
    connection: apsw.Connection, now: float, schedule: ScheduleRow, new: NewFiring, *, triggered: bool = False
) -> int | None:
    job = schedule.job if new.state in ("due", "waiting") else None
    row = (schedule.id, new.tick, new.id, new.state, int(triggered), new.missed, now, job)
    place: int | None = value(connection, "add_firing", row)
    if place is None:
        # It has fired before.
        return None
    schedule.newest = place
    if new.state == "due":
        schedule.open += 1
        schedule.last_fired = now
    elif new.state == "waiting":
        schedule.waiting += 1
    return place


def _end(connection: apsw.Connection, now: float, schedule: ScheduleRow, place: int, state: str) -> bool:
    run(connection, "end_firing", (state, now, place))
    schedule.open -= 1
    schedule.last_ended = now
    schedule.newest_end = max(place, schedule.newest_end or 0)
    rule = unpacked_rule(schedule.rule)
    if schedule.awaits or depends_on_ends(rule):
        schedule.ask_for_next()
    if schedule.waiting and (not schedule.open or may_overlap(rule)):
        run(connection, "let_firing_be_due", (value(connection, "oldest_waiting_firing", (schedule.id,)),))
        schedule.waiting -= 1
        schedule.open += 1
        schedule.last_fired = now
        return True
    return schedule.is_due_now
