"""Move jobs to the dead letters, inside a transaction of the caller."""

from collections.abc import Mapping, Sequence
from typing import Any

import apsw
import msgspec

from goatherd.adapters.sqlite.queries import rows, run, value
from goatherd.adapters.sqlite.rows import headers_from_text, headers_to_text
from goatherd.model.dead_letter import StoredLetter
from goatherd.model.formats import failures_of
from goatherd.model.ids import new_id


def bury_claimed(connection: apsw.Connection, seq: int, worker: int, burial: Mapping[str, Any], now: float) -> None:
    """Bury a job that this worker holds; nothing happens if it holds it no more."""
    letter = new_id()
    if run(connection, "bury_claimed", {**burial, "letter": letter, "seq": seq, "worker": worker}):
        _announce_and_remove(connection, seq, letter, now)


def bury_expired(connection: apsw.Connection, now: float) -> bool:
    """Bury every waiting job whose time has passed; true if there was any."""
    expired = [seq for (seq,) in rows(connection, "expired", {"now": now})]
    why = ("expired", "JobExpired", "its deadline or its queue's time to live passed")
    for seq in expired:
        _bury_waiting(connection, seq, now, why)
    return bool(expired)


def bury_overflow(connection: apsw.Connection, queue: int, max_length: int, now: float) -> None:
    """Bury the oldest jobs beyond a queue's limit, as brokers do with such a limit."""
    waiting = value(connection, "waiting", {"queue": queue})
    if waiting > max_length:
        oldest = rows(connection, "oldest_waiting", {"queue": queue, "limit": waiting - max_length})
        for (seq,) in oldest:
            why = ("rejected", "QueueFull", f"pushed out of a queue that holds at most {max_length} jobs")
            _bury_waiting(connection, seq, now, why)


def keep(connection: apsw.Connection, letter: StoredLetter, now: float) -> Sequence[int]:
    """Take in a letter that was no job here, unless it is here already; returns the queues that are told of it."""
    original = letter.original
    row = {
        "letter": letter.id, "queue": original.queue, "job_id": original.id, "task": original.task,
        "priority": original.priority, "body": original.body, "headers": headers_to_text(original.headers),
        "accepted": letter.accepted,
    }  # fmt: skip
    if not run(connection, "keep_letter", row | msgspec.structs.asdict(letter.burial)):
        return ()
    told = rows(connection, "announce_kept", {"letter": letter.id, "queue": original.queue, "now": now})
    return [queue for (queue,) in told]


def _bury_waiting(connection: apsw.Connection, seq: int, now: float, why: tuple[str, str, str]) -> None:
    letter = new_id()
    reason, error_type, message = why
    headers = headers_from_text(value(connection, "headers_of", (seq,)))
    burial = {"reason": reason, "error_type": error_type, "message": message, "failed_at": now}
    attempts = failures_of(headers)
    run(connection, "bury_waiting", {**burial, "letter": letter, "seq": seq, "attempts": attempts})
    _announce_and_remove(connection, seq, letter, now)


def _announce_and_remove(connection: apsw.Connection, seq: int, letter: str, now: float) -> None:
    run(connection, "announce", {"letter": letter, "seq": seq, "now": now})
    run(connection, "remove", (seq,))
