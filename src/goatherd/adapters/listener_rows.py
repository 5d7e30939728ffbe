"""Listeners as the values of rows and back."""

from collections.abc import Sequence
from typing import Any

from goatherd.model.listener import ListenerRow, Standing


def values_of(row: ListenerRow) -> tuple[Any, ...]:
    """All but the process, in the order of the tables."""
    it = row.standing
    # No store keeps a zero in text.
    why = it.why.replace("\0", "")
    return row.queue, row.pattern, it.condition, it.since, it.restarts, it.failures, why, it.last_delivery


def read_row(values: Sequence[Any]) -> ListenerRow:
    """The process, the values as above, and how long it has been silent."""
    process, queue, pattern, condition, since, restarts, failures, why, last_delivery, silent = values
    standing = Standing(
        condition=condition, since=since, restarts=restarts, failures=failures, why=why, last_delivery=last_delivery
    )
    return ListenerRow(process=process, pattern=pattern, queue=queue, standing=standing, silent=max(0.0, silent))
