"""Listeners as a table."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from goatherd.cli.durations import spoken
from goatherd.cli.redaction import printable
from goatherd.cli.tables import plain_table
from goatherd.model.listener import ListenerRow

_COLOURS = {"running": "green", "starting": "yellow", "paused": "yellow", "down": "red", "quarantined": "red"}


def listener_table(rows: Sequence[ListenerRow]) -> Table:
    """One line for each listener."""
    table = plain_table()
    table.add_column("queue", overflow="fold", min_width=8)
    table.add_column("state", no_wrap=True)
    for name in ("since", "restarts", "last job"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("worker", no_wrap=True)
    table.add_column("why")
    now = time.time()
    for row in rows:
        standing = row.standing
        table.add_row(
            Text(printable(row.queue)),
            Text(standing.condition, style=_COLOURS.get(standing.condition, "")),
            spoken(max(0.0, now - standing.since)),
            str(standing.restarts),
            "" if standing.last_delivery is None else f"{spoken(max(0.0, now - standing.last_delivery))} ago",
            Text(printable(row.process)),
            Text(printable(standing.why)),
        )
    return table
