"""Which rule of a schedule counts: what somebody set, or the newest version that living programs have."""

import apsw

from goatherd.adapters.sqlite.queries import rows, run, value
from goatherd.adapters.sqlite.schedules_row import ScheduleRow, find, find_known, find_or_add


def declare(connection: apsw.Connection, now: float, name: str, rule: str, alive: float) -> None:
    """Somebody lives who has this rule."""
    schedule = find_or_add(connection, name, rule)
    run(connection, "drop_dead_versions", (schedule.id, now))
    run(connection, "add_version", {"schedule": schedule.id, "rule": rule, "until": now + alive})
    _count_newest(connection, now, schedule)


def any_expired(connection: apsw.Connection, now: float) -> bool:
    """Whether a version that counts was silent for too long."""
    return value(connection, "any_expired_schedule", (now,)) is not None


def let_expire(connection: apsw.Connection, now: float) -> None:
    """Versions that were silent for too long count no more."""
    for (name,) in rows(connection, "expired_schedules", (now,)):
        schedule = find(connection, name)
        assert schedule is not None
        run(connection, "drop_dead_versions", (schedule.id, now))
        _count_newest(connection, now, schedule)


def choose(connection: apsw.Connection, now: float, name: str, rule: str, job: bytes | None) -> None:
    """Somebody sets it."""
    schedule = find_or_add(connection, name, rule)
    if not schedule.exists:
        # One that was taken back is another now.
        schedule.paused = 0
        schedule.ask_for_next()
    elif (schedule.chosen, schedule.job) == (rule, job):
        return
    schedule.chosen, schedule.job = rule, job
    _use(schedule)
    schedule.save(connection, now)


def take_back(connection: apsw.Connection, now: float, name: str) -> bool:
    """Programs alone decide again."""
    schedule = find_known(connection, name)
    if schedule is None or schedule.chosen is None:
        return False
    schedule.chosen = schedule.job = None
    _use(schedule)
    schedule.save(connection, now)
    return True


def _count_newest(connection: apsw.Connection, now: float, schedule: ScheduleRow) -> None:
    newest = rows(connection, "newest_version", (schedule.id,))
    before = (schedule.coded, schedule.rule, schedule.fires)
    if newest:
        schedule.coded, schedule.until = newest[0]
    else:
        # It keeps its rule and its place in time.
        schedule.until = None
    _use(schedule)
    if before == (schedule.coded, schedule.rule, schedule.fires):
        schedule.keep(connection)
    else:
        schedule.save(connection, now)


def _use(schedule: ScheduleRow) -> None:
    rule = schedule.chosen or schedule.coded or schedule.rule
    if rule != schedule.rule:
        schedule.rule = rule
        schedule.ask_for_next()
