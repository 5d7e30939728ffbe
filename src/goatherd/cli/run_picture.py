"""A run as it is drawn in a terminal: its steps on their rails, with what is known of each beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from goatherd.cli.redaction import printable
from goatherd.cli.run_lines import COLOURS, HEADINGS, cells_of, notes_of
from goatherd.cli.run_rails import BOXES, PLAIN, Row, beneath, rails, width_of
from goatherd.desk.run_looks import StepView

MARKS = {"done": "✓", "failed": "✗", "running": "●", "compensating": "!", "ready": "○", "waiting": "·"}
MARKS |= {"skipped": "-", "new": "+"}
#: What stands for every state where there are no such characters.
PLAIN_MARK = "*"
#: The columns that give way where there is little room, in this order, and how narrow they may become; 0 is gone.
GIVING_WAY = (
    *(("worker", 8), ("step", 16), ("worker", 0), ("failures", 0), ("time", 0)),
    *(("items", 0), ("step", 8), ("state", 0), ("step", 1)),
)
GAP = "  "


class Picture:
    """Draws steps into so many columns of text; an encoding without box drawing gets plain characters."""

    def __init__(self, steps: Sequence[StepView], *, width: int, encoding: str, now: float) -> None:
        self._steps = {step.name: step for step in steps}
        self._width, self._encoding, self._now = width, encoding, now
        self._boxes = _can_write(encoding, "".join((*BOXES.values(), *MARKS.values(), "…")))
        self._glyphs = BOXES if self._boxes else PLAIN
        self._rows = self._railed(steps)
        self._indent = width_of(self._rows) + len(GAP) - 1
        self._columns = self._fitted()

    def lines(self) -> Iterator[Text]:
        """The drawing, line by line."""
        yield self._line(" " * self._indent, dict.fromkeys(self._columns), heading=True)
        for place, row in enumerate(self._rows):
            if row.step is None:
                yield self._cut(Text(row.drawn(self._glyphs).rstrip()))
            else:
                yield from self._node(self._steps[row.step], row, beneath(self._rows, place))

    def _railed(self, steps: Sequence[StepView]) -> list[Row]:
        """On rails as far as the code says what comes after what; in a list where rails would take too much room."""
        linked = rails({step.name: step.after for step in steps if step.code is not None})
        loose = [step.name for step in steps if step.code is None]
        if 2 * width_of(linked) > self._width:
            linked, loose = [], [step.name for step in steps]
        self._in_words = not linked
        apart = [Row(arms=())] if linked and loose else []
        return linked + apart + [Row(arms=(0,), step=name) for name in loose]

    def _node(self, step: StepView, row: Row, below: Row) -> Iterator[Text]:
        mark = MARKS[step.state] if self._boxes else PLAIN_MARK
        yield self._line(row.drawn(self._glyphs, mark), cells_of(step, self._now), state=step.state, node=row.column)
        notes = [*(self._after(step) if self._in_words else ()), *notes_of(step)]
        for note in notes:
            way = below.drawn(self._glyphs) if below.arms else ""
            yield self._cut(Text(way.ljust(self._indent) + GAP) + self._written(note))

    def _after(self, step: StepView) -> list[Text]:
        """In words what rails would show; folded, so that nothing of it is cut."""
        if not step.after:
            return []
        room = max(1, self._width - self._indent - len(GAP))
        told = self._written(Text(f"after {', '.join(step.after)}")).plain
        return [Text(line, "dim") for line in textwrap.wrap(told, room)]

    def _line(
        self, way: str, cells: dict[str, str | None], *, state: str = "", node: int = 0, heading: bool = False
    ) -> Text:
        """Rails, then cells under their headings."""
        line = Text(way.ljust(self._indent))
        if not heading:
            line.stylize(COLOURS[state], 2 * node, 2 * node + 1)
        for name, room in self._columns.items():
            cell = self._written(Text(name if heading else cells[name] or "", "bold" if heading else ""))
            if name in ("state", "step") and not heading:
                cell.stylize(COLOURS[state])
            cell = _shortened(cell, room, self._dots)
            fill = " " * (room - cell.cell_len)
            line.append_text(Text(fill) + cell if HEADINGS[name] == "right" else cell + Text(fill))
            line.append(GAP)
        line.rstrip()
        return self._cut(line)

    def _fitted(self) -> dict[str, int]:
        """How wide each column is; those that nobody has anything in are left out."""
        told = [cells_of(step, self._now) for step in self._steps.values()]
        columns = {}
        for name in HEADINGS:
            widest = max((self._written(Text(cells[name] or "")).cell_len for cells in told), default=0)
            if widest:
                columns[name] = max(widest, len(name))
        wanted = columns.get("step", 0)
        for name, least in GIVING_WAY:
            over = -self._spare(columns)
            if over > 0 and name in columns:
                columns[name] = max(least, columns[name] - over) if least else 0
            columns = {kept: room for kept, room in columns.items() if room}
        if columns:
            columns["step"] += min(max(0, self._spare(columns)), wanted - columns["step"])
        return columns

    def _spare(self, columns: dict[str, int]) -> int:
        return self._width - self._indent - sum(columns.values()) - len(GAP) * (len(columns) - 1)

    @property
    def _dots(self) -> str:
        return "…" if self._boxes else "..."

    def _cut(self, line: Text) -> Text:
        return _shortened(line, self._width, self._dots)

    def _written(self, text: Text) -> Text:
        """Text from elsewhere as the terminal can show it: without commands, and in its own encoding."""
        plain = printable(" ".join(text.plain.split()))
        shown = plain.encode(self._encoding, "backslashreplace").decode(self._encoding)
        if shown == text.plain:
            return text
        made = Text(shown, text.style)
        for span in text.spans[:1]:
            made.stylize(span.style, 0, min(span.end, len(shown)))
        return made


def _shortened(text: Text, room: int, dots: str) -> Text:
    if text.cell_len <= room:
        return text
    short = text.copy()
    short.truncate(max(0, room - len(dots)), overflow="crop")
    short.append(dots[: max(0, room - short.cell_len)])
    return short


def _can_write(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
