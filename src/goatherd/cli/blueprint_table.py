"""A blueprint as tables: exchanges, queues, bindings and policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from goatherd.cli.redaction import printable
from goatherd.cli.tables import plain_table
from goatherd.desk.drift_words import told_value
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec


def blueprint_tables(blueprint: Blueprint) -> Iterator[Table]:
    """A table for each kind of which there is something."""
    if blueprint.exchanges:
        yield _table(("exchange", "type", "arguments"), map(_exchange, blueprint.exchanges))
    if blueprint.queues:
        yield _table(("queue", "type", "arguments"), map(_queue, blueprint.queues))
    if blueprint.bindings:
        yield _table(("from", "to", "key"), map(_binding, blueprint.bindings))
    if blueprint.policies:
        yield _table(("policy", "pattern", "definition"), map(_policy, blueprint.policies))


def _table(columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Table:
    table = plain_table()
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _exchange(each: ExchangeSpec) -> tuple[str, ...]:
    flags = {"transient": not each.durable, "auto-delete": each.auto_delete, "internal": each.internal}
    return each.name, _with_flags(each.type, flags), _lines(each.arguments)


def _queue(each: QueueSpec) -> tuple[str, ...]:
    flags = {"transient": not each.durable, "auto-delete": each.auto_delete}
    return each.name, _with_flags(each.type or "(default)", flags), _lines(each.arguments)


def _binding(each: BindingSpec) -> tuple[str, ...]:
    to = each.destination if each.destination_type == "queue" else f"{each.destination} (exchange)"
    return each.source, to, "\n".join([told_value(each.key), *filter(None, [_lines(each.arguments)])])


def _policy(each: PolicySpec) -> tuple[str, ...]:
    applies = "" if each.apply_to == "all" else f"\nonly {each.apply_to.replace('_', ' ')}"
    first = f"\npriority {each.priority}" if each.priority else ""
    return each.name, f"{told_value(each.pattern)}{applies}{first}", _lines(each.definition)


def _with_flags(kind: str, flags: Mapping[str, bool]) -> str:
    return ", ".join([kind, *(flag for flag, holds in flags.items() if holds)])


def _lines(arguments: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {told_value(value)}" for name, value in arguments.items())
