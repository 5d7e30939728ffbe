"""A schedule as the file has it, read, changed and written within one transaction."""

from dataclasses import asdict, dataclass

import apsw

from goatherd.adapters.sqlite.queries import rows, run, value


@dataclass(slots=True)
class ScheduleRow:
    """In the order of the columns."""

    id: int
    name: str
    #: In force; as programs have it, or had it last; as somebody set it.
    rule: str
    coded: str | None
    chosen: str | None
    job: bytes | None
    rev: int
    #: How long the version in force lives; None if none does.
    until: float | None
    paused: int
    next_at: float | None
    #: Whether it is due only after an end.
    awaits: int
    open: int
    waiting: int
    last_fired: float | None
    last_ended: float | None
    last_tick: float | None
    #: Places of the newest firing and of the newest one that ended.
    newest: int | None
    newest_end: int | None

    @property
    def exists(self) -> bool:
        """False for one that was set and taken back, and of which there is only history."""
        return self.coded is not None or self.chosen is not None

    @property
    def fires(self) -> bool:
        """Whether somebody is there for it."""
        return self.job is not None or self.until is not None

    @property
    def is_due_now(self) -> bool:
        """Whether its next tick is to be worked out."""
        return self.fires and not self.paused and not self.awaits and self.next_at is None

    def ask_for_next(self) -> None:
        """Let its next tick be worked out anew."""
        self.next_at, self.awaits = None, 0

    def save(self, connection: apsw.Connection, now: float) -> None:
        """Write what was changed: what others decide by what they saw before is void."""
        # Never one that the same name had before: rows that are forgotten may come back.
        self.rev = max(self.rev + 1, int(now * 1_000_000))
        self.keep(connection)

    def keep(self, connection: apsw.Connection) -> None:
        """Write what changes nothing for others."""
        run(connection, "save_schedule", asdict(self))


def find(connection: apsw.Connection, name: str) -> ScheduleRow | None:
    """The schedule of that name, if it was ever heard of."""
    found = rows(connection, "get_schedule", (name,))
    return ScheduleRow(*found[0]) if found else None


def find_known(connection: apsw.Connection, name: str) -> ScheduleRow | None:
    """The same, if there is such a schedule now."""
    found = find(connection, name)
    return found if found is not None and found.exists else None


def get(connection: apsw.Connection, id: int) -> ScheduleRow:
    """The schedule of a firing."""
    [found] = rows(connection, "get_schedule_by_id", (id,))
    return ScheduleRow(*found)


def find_or_add(connection: apsw.Connection, name: str, rule: str) -> ScheduleRow:
    """The schedule of that name; a new one has this rule, and nobody is there for it yet."""
    found = find(connection, name)
    return found or get(connection, value(connection, "add_schedule", (name, rule)))
