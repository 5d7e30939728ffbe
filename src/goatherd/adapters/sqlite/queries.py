"""The statements of the files in `sql` that have no number, by name."""

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, TypeAlias

import apsw

Bindings: TypeAlias = Sequence[Any] | Mapping[str, Any]

_HEADING = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def _load() -> dict[str, str]:
    folder = resources.files("goatherd.adapters.sqlite") / "sql"
    statements: dict[str, str] = {}
    for file in (
        "queries.sql",
        "events.sql",
        "history.sql",
        "job_search.sql",
        "lanes.sql",
        "steps.sql",
        "uniques.sql",
        "schedules.sql",
        "inbox.sql",
        "tallies.sql",
        "listeners.sql",
        "alerts.sql",
        "processes.sql",
    ):
        parts = _HEADING.split((folder / file).read_text(encoding="utf-8"))
        statements |= {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    return statements


_STATEMENTS = _load()


def run(connection: apsw.Connection, name: str, bindings: Bindings = ()) -> int:
    """Run a statement; returns how many rows it changed."""
    connection.execute(_STATEMENTS[name], bindings)
    return connection.changes()


def run_many(connection: apsw.Connection, name: str, bindings: Iterable[Bindings]) -> None:
    """Run a statement once for each set of values."""
    connection.executemany(_STATEMENTS[name], bindings)


def rows(connection: apsw.Connection, name: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
    """Every row of a statement."""
    return connection.execute(_STATEMENTS[name], bindings).fetchall()


def value(connection: apsw.Connection, name: str, bindings: Bindings = ()) -> Any:
    """The first value of the first row; None if there is none."""
    return connection.execute(_STATEMENTS[name], bindings).get


def bells(connection: apsw.Connection, queue: int | None = None) -> list[str]:
    """The doorbells of the workers of a queue, or of all."""
    found = rows(connection, "all_bells") if queue is None else rows(connection, "bells_of_queue", (queue,))
    return [address for (address,) in found]
