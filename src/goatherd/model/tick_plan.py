"""What is to be done about a schedule that is due.

Two processes that decide by the same look decide the same, so it does not matter whose word is heard. Every tick later
than the last one on record becomes a firing that is due or waits, or it is recorded as missed or skipped; of many
missed ones only the newest have records of their own, and the rest are counted.

`next_at` tells also where to go on from. If it is the very moment at which a tick is due, that tick is the first to
be decided about: those before it are over, or were never wanted, as in the time of a pause. If it is any other moment,
because a run must not begin sooner, all ticks later than the last one on record are still to be decided about.
"""

import math

from goatherd.model.rate_ticks import MICROSECONDS
from goatherd.model.schedule import Decision, Delay, DueSchedule, NewFiring
from goatherd.model.tick_pipeline import firing_id
from goatherd.model.timing import jitter_of, ticks_of

#: A tick that comes so many seconds late counts as one that nobody fired in time.
LATE = 60.0
#: So many missed ticks of one decision have records of their own.
RECORDED = 20
#: Moments that differ by less are the same: databases keep microseconds.
_SAME = 1.5e-6


def plan(due: DueSchedule, now: float) -> Decision:
    """Decide what fires now, what never will, and when to look again."""
    if isinstance(due.rule.timing, Delay):
        return _plan_delay(due, due.rule.timing, now)
    ticks = ticks_of(due.rule.timing)
    if due.next_at is None:
        # New, changed or resumed: what was due before is none of its ticks.
        following = ticks.after(now if due.last_tick is None else max(now, due.last_tick))
        return _decision(due, (), _due_at(due, following))
    over = _over(due, due.next_at)
    newest = _newest_due(due, now)
    if newest is None or newest <= over:
        return _decision(due, (), _due_at(due, ticks.after(over)))
    if now < _spaced(due, now):
        return _put_off(due, over, _spaced(due, now))
    return _fire(due, over, newest, now)


def _fire(due: DueSchedule, over: float, newest: float, now: float) -> Decision:
    """Decide about all ticks later than `over` up to the newest."""
    ticks = ticks_of(due.rule.timing)
    wanted = _wanted(due, over, newest, now)
    firings = _judged(due, wanted)
    if due.rule.min_spacing > 0 and len(firings) > 1 and firings[0].state == "due":
        # The others are still to come, one by one.
        firings = firings[:1]
        next_at: float | None = _apart(due, now + due.rule.min_spacing)
    else:
        next_at = _due_at(due, ticks.after(newest))
    first = wanted[0] if wanted else None
    return _decision(due, (*_missed(due, over, first, newest), *firings), next_at)


def _wanted(due: DueSchedule, over: float, newest: float, now: float) -> list[float]:
    """Which ticks are not missed, oldest first."""
    misfire = due.rule.misfire
    ready = max(newest + jitter_of(due.name, due.rule, newest), _spaced(due, now))
    if misfire == "skip" and now - ready > LATE:
        return []
    wanted = [newest]
    most = misfire if isinstance(misfire, int) else 1
    while len(wanted) < most:
        before = ticks_of(due.rule.timing).upto(_just_before(wanted[-1]))
        if before is None or before <= over:
            break
        wanted.append(before)
    return wanted[::-1]


def _judged(due: DueSchedule, wanted: list[float]) -> list[NewFiring]:
    """What becomes of them beside what is worked on; as if they had come one after the other."""
    if due.rule.overlap == "allow":
        return [_firing(due, tick, waits=False) for tick in wanted]
    if not (due.open or due.waiting):
        return [_firing(due, tick, waits=place > 0) for place, tick in enumerate(wanted)]
    may_wait = due.rule.overlap == "queue" and not due.waiting
    return [
        _firing(due, tick, waits=True) if may_wait and place == 0 else NewFiring(tick=tick, state="skipped")
        for place, tick in enumerate(wanted)
    ]


def _firing(due: DueSchedule, tick: float, *, waits: bool) -> NewFiring:
    return NewFiring(tick=tick, id=firing_id(due.name, tick), state="waiting" if waits else "due")


def _missed(due: DueSchedule, over: float, first: float | None, newest: float) -> list[NewFiring]:
    """Records of the ticks later than `over` that come before the first one that is not missed."""
    ticks = ticks_of(due.rule.timing)
    tick = newest if first is None else ticks.upto(_just_before(first))
    recorded: list[float] = []
    while tick is not None and tick > over and len(recorded) < RECORDED:
        recorded.append(tick)
        tick = ticks.upto(_just_before(tick))
    if not recorded:
        return []
    counted = ticks.count(over, _just_before(recorded[-1])) if tick is not None and tick > over else 0
    return [
        NewFiring(tick=tick, state="missed", missed=counted if place == 0 else 0)
        for place, tick in enumerate(reversed(recorded))
    ]


def _over(due: DueSchedule, next_at: float) -> float:
    """Ticks up to that moment are not to be decided about."""
    looked_for = _newest_due(due, next_at + _SAME)
    if looked_for is None:
        return next_at if due.last_tick is None else due.last_tick
    announced = abs(next_at - looked_for - jitter_of(due.name, due.rule, looked_for)) < _SAME
    if announced or due.last_tick is None:
        before = _just_before(looked_for)
        return before if due.last_tick is None else max(before, due.last_tick)
    return due.last_tick


def _newest_due(due: DueSchedule, now: float) -> float | None:
    """The newest tick that is due, with its jitter."""
    tick = ticks_of(due.rule.timing).upto(now)
    if tick is not None and tick + jitter_of(due.name, due.rule, tick) > now:
        # Jitter never lasts until the next tick, so the one before is due.
        tick = ticks_of(due.rule.timing).upto(_just_before(tick))
    return tick


def _due_at(due: DueSchedule, tick: float | None) -> float | None:
    """When a tick to come is due."""
    return None if tick is None else tick + jitter_of(due.name, due.rule, tick)


def _spaced(due: DueSchedule, now: float) -> float:
    """Until when no run may begin."""
    spacing = due.rule.min_spacing
    # A beginning that lies far ahead was written down by a clock that has been set back since.
    if spacing <= 0 or due.last_fired is None or due.last_fired > now + spacing:
        return -math.inf
    return due.last_fired + spacing


def _put_off(due: DueSchedule, over: float, until: float) -> Decision:
    passed = ticks_of(due.rule.timing).upto(over)
    if due.last_tick is None or passed is None or passed <= due.last_tick:
        return _decision(due, (), _apart(due, until))
    # Later it will look as if everything since the last record were still to be decided about; this one says no.
    return _decision(due, (NewFiring(tick=passed, state="missed"),), _apart(due, until))


def _apart(due: DueSchedule, moment: float) -> float:
    """The moment, or one that is hardly later, so that it is not that at which any tick is due."""
    tick = _newest_due(due, moment + _SAME)
    if tick is None or abs(moment - tick - jitter_of(due.name, due.rule, tick)) >= _SAME:
        return moment
    return moment + 2 * _SAME


def _plan_delay(due: DueSchedule, timing: Delay, now: float) -> Decision:
    if due.open or due.waiting:
        return _decision(due, (), None)
    begins = due.next_at
    if begins is None:
        # An end that lies ahead was written down by a clock that has been set back since.
        since = now if due.last_ended is None else min(due.last_ended, now) + timing.seconds
        begins = since + jitter_of(due.name, due.rule, since)
    begins = max(begins, _spaced(due, now))
    if begins > now:
        return _decision(due, (), begins)
    tick = math.floor(now * MICROSECONDS)
    if due.last_tick is not None:
        tick = max(tick, round(due.last_tick * MICROSECONDS) + 1)
    return _decision(due, (_firing(due, tick / MICROSECONDS, waits=False),), None)


def _decision(due: DueSchedule, firings: tuple[NewFiring, ...], next_at: float | None) -> Decision:
    return Decision(name=due.name, rev=due.rev, firings=firings, next_at=next_at)


def _just_before(tick: float) -> float:
    return math.nextafter(tick, -math.inf)
