"""Seven faults that lanes could have, each planted into the code of a store as it is loaded.

The package has no switch for this. That the machine finds them shows that it would find them if we had made them.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple
from unittest.mock import patch

from msgspec import structs

from goatherd.adapters.postgres import schema
from goatherd.adapters.redis.scripts import OF_LANES
from goatherd.adapters.sqlite import queries


class Edit(NamedTuple):
    """A text that is replaced by another, wherever it is: for SQLite, in which statement."""

    old: str
    new: str
    statement: str = ""


#: By the name of the fault.
Faults = Mapping[str, Sequence[Edit]]

SQLITE: Faults = {
    "no fencing": [Edit("token = ?", "? > 0", "running_lane")],
    "no head check": [Edit("head = ?", "? > 0", "running_lane")],
    "timer not removed": [Edit("due = NULL,", "", "hold_lane")],
    "retry also ready": [Edit("'waiting'", "'ready'", "let_lane_wait")],
    "pop before work": [Edit("WHERE id = ?", """WHERE id = ?;
        DELETE FROM lane_job WHERE (lane, seq) IN (SELECT id, head FROM lane WHERE condition = 'running')
    """, "take_lane")],
    "high-water mark forgotten": [Edit("SELECT mark,", "SELECT 0,", "lane_mark")],
    "double schedule": [Edit("length = length + 1", "length = length + 1, condition = 'ready'", "enter_lane")],
}  # fmt: skip

_AGAIN = """new_ready[#new_ready + 1] = '0'
    new_ready[#new_ready + 1] = ready_prefix(lane.queue) .. format('%016d', number()) .. key"""
_TIMER = "if lane.condition == 'running' or lane.condition == 'waiting' then timers[key] = false end"
_WAIT = "make_wait(key, lane, now + tonumber(first))"
_LEASE, _POP = "timers[key] = lease_ends", "gone_jobs[#gone_jobs + 1] = field(key, lane.head)"
_PUT = "    return lane.tail - lane.head\n"
REDIS: Faults = {
    "no fencing": [Edit("lane.token == token and lane.head_seq", "lane.head_seq")],
    "no head check": [Edit(" and lane.head_seq == seq", "")],
    "timer not removed": [Edit(_TIMER, "")],
    "retry also ready": [Edit(_WAIT, f"{_WAIT}\n    {_AGAIN}")],
    "pop before work": [Edit(_LEASE, f"{_LEASE}\n    {_POP}")],
    "high-water mark forgotten": [Edit("tonumber(call('GET', MARK) or '0')", "0")],
    "double schedule": [Edit(_PUT, f"    if not begins then\n    {_AGAIN}\n    end\n{_PUT}")],
}

#: In the transaction of the claim, but after its answer was made.
_POP_AT_THE_END = """
    CREATE FUNCTION goatherd.pop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        DELETE FROM goatherd.lane_item i WHERE i.app = NEW.app AND i.lane = NEW.lane AND i.seq = NEW.seq;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER pop AFTER UPDATE ON goatherd.lane_head DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.condition = 'running' AND OLD.condition = 'ready') EXECUTE FUNCTION goatherd.pop();
"""
_SCHEDULE = """
    UPDATE goatherd.lane_head h SET condition = 'ready'
    WHERE h.app = p_app AND h.lane = ANY (p_lanes) AND h.condition = 'running';
"""
_TURNS, _FULL = "CREATE SEQUENCE goatherd.lane_turn;", "    IF 'full' = ANY (answers) THEN"
POSTGRES: Faults = {
    "no fencing": [Edit(" AND h.token = a.token", "")],
    "no head check": [Edit(" AND h.seq = a.seq", "")],
    "timer not removed": [
        Edit("due = CASE WHEN b.due > p_now THEN b.due END", "due = CASE WHEN b.due > p_now THEN b.due ELSE h.due END")
    ],
    "retry also ready": [Edit("SET condition = 'waiting'", "SET condition = 'ready'")],
    "pop before work": [Edit(_TURNS, _TURNS + _POP_AT_THE_END)],
    "high-water mark forgotten": [Edit(" AND f.last < p_now", ""), Edit(" AND h.token < p_now", "")],
    "double schedule": [Edit(_FULL, _SCHEDULE + _FULL)],
}


@contextmanager
def in_sqlite(edits: Sequence[Edit]) -> Iterator[None]:
    """Files that are opened meanwhile have the fault."""
    changed = {
        name: edited([queries._STATEMENTS[name]], [edit for edit in edits if edit.statement == name])[0]
        for name in {edit.statement for edit in edits}
    }
    with patch.dict(queries._STATEMENTS, changed):
        yield


@contextmanager
def in_redis(edits: Sequence[Edit]) -> Iterator[None]:
    """Servers that are connected to meanwhile get scripts that have the fault."""
    before = [(script, script.source, script.digest) for script in OF_LANES]
    for script, text in zip(OF_LANES, edited([script.source.decode() for script in OF_LANES], edits), strict=True):
        script.source = text.encode()
        script.digest = hashlib.sha1(script.source, usedforsecurity=False).hexdigest()
    try:
        yield
    finally:
        for script, source, digest in before:
            script.source, script.digest = source, digest


@contextmanager
def in_postgres(edits: Sequence[Edit]) -> Iterator[None]:
    """Databases that are migrated meanwhile have the fault."""
    known = schema.migrations()
    texts = edited([migration.script for migration in known], edits)
    faulty = [structs.replace(migration, script=text) for migration, text in zip(known, texts, strict=True)]
    with patch.object(schema, "migrations", lambda: faulty):
        yield


def edited(texts: Sequence[str], edits: Sequence[Edit]) -> Sequence[str]:
    """The texts with the fault; what is to be replaced must be there, as the one who planted it knows it."""
    for edit in edits:
        assert any(edit.old in text for text in texts), f"nowhere is {edit.old!r}, so this fault cannot be planted"
        texts = [text.replace(edit.old, edit.new) for text in texts]
    return texts
