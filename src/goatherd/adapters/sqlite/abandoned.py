"""Queues for answers that nobody listens to any more."""

import apsw

from goatherd.adapters.sqlite.queries import rows, run


def drop_abandoned(connection: apsw.Connection, now: float) -> None:
    """Remove the queues of processes that have been gone for long."""
    run(connection, "note_abandoned", {"now": now})
    for (queue,) in rows(connection, "abandoned_queues", {"now": now}):
        drop(connection, queue)


def drop(connection: apsw.Connection, queue: int) -> None:
    """Remove a queue with what is in it."""
    run(connection, "drop_jobs", (queue,))
    run(connection, "drop_subscriptions", (queue,))
    run(connection, "drop_queue", (queue,))
