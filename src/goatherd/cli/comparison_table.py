"""Disagreements between an app and a file as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from goatherd.cli.blueprint_comparison import Disagreement, Where
from goatherd.cli.redaction import printable
from goatherd.cli.tables import plain_table
from goatherd.desk.drift_words import told_value

_COLOURS: dict[Where, str] = {"only in the app": "green", "only in the file": "yellow", "differs": "magenta"}


def comparison_table(found: Sequence[Disagreement]) -> Table:
    """One row for each, its properties below each other."""
    table = plain_table()
    table.add_column("where", no_wrap=True)
    table.add_column("what", no_wrap=True)
    table.add_column("name", overflow="fold", min_width=12)
    table.add_column("app → file", overflow="fold")
    for each in found:
        lines = [_line(each, *detail) for detail in each.details]
        table.add_row(
            Text(each.where, _COLOURS[each.where]), each.kind, Text(printable(each.name)), Text("\n").join(lines)
        )
    return table


def _line(found: Disagreement, field: str, app: object, file: object) -> Text:
    both = f"{told_value(app)} → {told_value(file)}"
    one_side = told_value(file if found.where == "only in the file" else app)
    name = field.removeprefix("arguments.").removeprefix("definition.")
    return Text.assemble((f"{printable(name)}: ", "dim"), printable(both if found.where == "differs" else one_side))
