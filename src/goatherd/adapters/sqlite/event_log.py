"""A tracked job's log in the file: what is done to it within one transaction."""

from collections.abc import Sequence
from typing import Any

import apsw
import msgspec

from goatherd.adapters.sqlite.feeding import feed
from goatherd.adapters.sqlite.queries import rows, run, value
from goatherd.model.admission import Admission, Append, Known, Outcome, admit, new_epoch
from goatherd.model.event import Entry, Event, Position, encode, kind_of
from goatherd.model.job_state import JobState, change_by
from goatherd.model.reading import Kept, Reading

#: Events of one job that are kept; what is older is told by a snapshot.
KEPT = 10_000
#: Rows that are cleared away with each append, beside twice as many as it adds.
BITE = 16


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """When it is, how long things are kept, and which boot of the machine this is."""

    now: float
    ttl: float
    lineage: str


class Tracked(msgspec.Struct, frozen=True, kw_only=True):
    """A job's row."""

    id: int
    former: Position
    lineage: str
    run: str
    number: int
    state: JobState

    @property
    def known(self) -> Known:
        """What decides about an append."""
        state = self.state
        return Known(
            epoch=state.epoch, seq=state.seq, attempt=state.attempt, run=self.run, number=self.number,
            status=state.status, closed=state.closed, lineage=self.lineage,
        )  # fmt: skip


def find(connection: apsw.Connection, job: str, now: float) -> Tracked | None:
    """A job's row; None if there is none or its time is over."""
    for row in rows(connection, "find_tracked", {"job": job, "now": now}):
        row_id, former_epoch, former_seq, lineage, run_id, number, *state = row
        state[-1] = bool(state[-1])
        return Tracked(
            id=row_id, former=Position(former_epoch, former_seq), lineage=lineage, run=run_id, number=number,
            state=JobState(**dict(zip(JobState.__struct_fields__, state, strict=True))),
        )  # fmt: skip
    return None


def append_events(connection: apsw.Connection, job: str, append: Append, terms: Terms) -> Outcome:
    """See `Events.append`."""
    clear_away(connection, terms.now, BITE + 2 * len(append.events))
    tracked = find(connection, job, terms.now)
    admitted = admit(tracked.known if tracked else None, append, terms.lineage)
    if isinstance(admitted, Outcome):
        return admitted
    if tracked is None or admitted.begins:
        tracked = _begin(connection, job, tracked, terms)
    elif admitted.renames:
        tracked = _rename(connection, tracked, terms)
    state, written = _write(connection, tracked, append.events[admitted.skip :])
    feed(connection, job, written, terms.now)
    _note(connection, tracked, admitted, state, terms)
    return Outcome(answer="ok", position=state.position)


def read_events(
    connection: apsw.Connection, job: str, after: Position | None, limit: int, now: float
) -> Reading | None:
    """See `Events.read`."""
    connection.execute("BEGIN")
    try:
        tracked = find(connection, job, now)
        return None if tracked is None else _read(connection, tracked, after, limit)
    finally:
        connection.execute("ROLLBACK")


def clear_away(connection: apsw.Connection, now: float, bite: int) -> None:
    """Delete some rows of a job whose time is over, so that nobody has to wait for the deletion of many."""
    expired = value(connection, "first_expired", {"now": now})
    if expired is None:
        return
    bite -= run(connection, "drop_events", {"id": expired, "limit": bite})
    bite -= run(connection, "drop_pieces", {"id": expired, "limit": bite})
    if bite > 0:
        run(connection, "drop_tracked", (expired,))


def _begin(connection: apsw.Connection, job: str, former: Tracked | None, terms: Terms) -> Tracked:
    seq = 0 if former is None else former.state.seq
    state = JobState(epoch=new_epoch(), seq=seq, status="queued")
    run(connection, "detach", (job,))
    run(connection, "begin_log", (job, state.epoch, seq, terms.lineage))
    row = connection.last_insert_rowid()
    return Tracked(id=row, former=Position("", 0), lineage=terms.lineage, run="", number=0, state=state)


def _rename(connection: apsw.Connection, tracked: Tracked, terms: Terms) -> Tracked:
    state = msgspec.structs.replace(tracked.state, epoch=new_epoch())
    run(connection, "rename_log", {"epoch": state.epoch, "lineage": terms.lineage, "id": tracked.id})
    return msgspec.structs.replace(tracked, state=state)


def _write(
    connection: apsw.Connection, tracked: Tracked, events: Sequence[Event]
) -> tuple[JobState, list[Entry]]:  # fmt: skip
    fields: dict[str, Any] = {}
    written: list[Entry] = []
    epoch, seq = tracked.state.epoch, tracked.state.seq
    for event in events:
        seq += 1
        change = change_by(event)
        entry = Entry(position=Position(epoch, seq), kind=kind_of(event), body=encode(event))
        run(connection, "write_event", (tracked.id, seq, entry.kind, entry.body))
        written.append(entry)
        if change.voids_text:
            run(connection, "void_text", (tracked.id,))
        if change.text:
            run(connection, "write_piece", (tracked.id, seq, change.text))
        fields |= change.fields
    run(connection, "trim_events", (tracked.id, seq - KEPT))
    return msgspec.structs.replace(tracked.state, **{**fields, "seq": seq}), written


def _note(
    connection: apsw.Connection, tracked: Tracked, admitted: Admission, state: JobState, terms: Terms
) -> None:  # fmt: skip
    row = msgspec.structs.asdict(state) | {
        "id": tracked.id, "attempt": admitted.attempt, "run": admitted.run, "number": admitted.number,
        "expires": terms.now + terms.ttl,
    }  # fmt: skip
    run(connection, "note_append", row)


def _read(connection: apsw.Connection, tracked: Tracked, after: Position | None, limit: int) -> Reading:
    state = tracked.state
    first = value(connection, "first_event", (tracked.id,))
    kept = Kept(
        epoch=state.epoch, first=state.seq + 1 if first is None else first, top=state.seq,
        former_epoch=tracked.former.epoch, former_top=tracked.former.seq,
    )  # fmt: skip
    if after is None or not kept.follows(after):
        text = "".join(text for (text,) in rows(connection, "pieces", (tracked.id,)))
        return Reading(state=state, resumed=False, text=text)
    found = rows(connection, "events_after", (tracked.id, after.seq, limit))
    entries = [Entry(position=Position(state.epoch, seq), kind=kind, body=body) for seq, kind, body in found]
    return Reading(state=state, resumed=True, entries=entries)
