"""Differences as a table, one row for each change, and notes below it on what could be lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from goatherd.cli.redaction import printable
from goatherd.cli.tables import plain_table
from goatherd.desk.drift_words import told_change, told_details
from goatherd.model.difference import Change, Difference

_COLOURS: dict[Change, str] = {
    "create": "green", "bind": "green", "policy": "green", "unbind": "yellow", "orphan": "yellow",
    "shadowed": "yellow", "replace queue": "magenta", "replace exchange": "magenta",
}  # fmt: skip
_GRAVE = "bold red"
#: Columns that names have at least.
NARROW = 26


class DriftTable:
    """Numbers the notes as they come, so that a row needs but a short mark."""

    def __init__(self, differences: Sequence[Difference], found: str = "found") -> None:
        self._notes: list[Text] = []
        self._rows = [list(self._lines(each)) for each in differences]
        self._differences = differences
        self._found = found

    def table(self, width: int) -> Table:
        """One row for each change, its properties below each other, on a terminal of some columns."""
        table = plain_table()
        table.add_column("change", no_wrap=True)
        # Names are the first to be folded: properties read better in one line.
        table.add_column("name", overflow="fold", max_width=max(NARROW, width * 3 // 10))
        table.add_column(f"wanted → {self._found}", overflow="fold")
        heights = [*(max(1, len(lines)) for lines in self._rows), 0]
        for place, (each, lines) in enumerate(zip(self._differences, self._rows, strict=True)):
            table.add_row(
                Text(told_change(each), _COLOURS[each.change]),
                Text(printable(each.name)),
                Text("\n").join(lines),
                # A line between two only where one of them is more than a line itself.
                end_section=heights[place + 1] > 0 and max(heights[place : place + 2]) > 1,
            )
        return table

    def notes(self) -> Table | None:
        """What the marks in the rows stand for, over the whole width; None if there are none."""
        if not self._notes:
            return None
        table = Table.grid(padding=(0, 1))
        for number, note in enumerate(self._notes, start=1):
            table.add_row(Text(f"({number})", _GRAVE), note)
        return table

    def _lines(self, difference: Difference) -> Iterator[Text]:
        for line in told_details(difference):
            field, colon, values = printable(line).partition(": ")
            yield Text.assemble((field + colon, "dim"), values)
        if not difference.mendable:
            yield self._mark("✗ not to be mended from here", difference.why)
        elif difference.why:
            yield Text(printable(difference.why), "dim")
        for loses in dict.fromkeys(risk.loses for risk in difference.risks):
            whys = [risk.why for risk in difference.risks if risk.loses == loses]
            yield self._mark(f"! could lose {loses}", *whys)

    def _mark(self, mark: str, *whys: str) -> Text:
        first = len(self._notes) + 1
        self._notes += [Text(printable(why)) for why in whys]
        return Text(f"{mark} ({', '.join(map(str, range(first, first + len(whys))))})", _GRAVE)
