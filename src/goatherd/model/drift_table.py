"""Differences between a definition and a broker as plain text, for errors and logs."""

from collections.abc import Iterator, Sequence

from goatherd.model.difference import Difference

#: Rows of a table; whoever needs all asks for a plan.
MOST_ROWS = 60
#: Characters of a name after which the next column begins on a line of its own.
WIDEST_NAME = 50
_HEADINGS = ("change", "name", "how it differs")


def drift_table(differences: Sequence[Difference], most: int = MOST_ROWS) -> str:
    """One line for each property, indented by two; what is too much is counted."""
    rows = [row for each in differences for row in _rows(each)]
    shown = [_HEADINGS, *rows[:most]]
    widths = [max(len(row[0]) for row in shown), max(min(len(row[1]), WIDEST_NAME) for row in shown)]
    lines = [f"  {row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]}".rstrip() for row in shown]
    if len(rows) > most:
        lines.append(f"  … and {len(rows) - most} lines more")
    return "\n".join(lines)


def told_counts(differences: Sequence[Difference]) -> str:
    """`1 create, 2 bind`: how many there are of each class, in the order of the differences."""
    classes = list(dict.fromkeys(each.change for each in differences))
    return ", ".join(f"{sum(each.change == name for each in differences)} {name}" for name in classes)


def _rows(difference: Difference) -> Iterator[tuple[str, str, str]]:
    says_it = difference.kind in difference.change or difference.kind == "binding"
    change = difference.change if says_it else f"{difference.change} {difference.kind}"
    lines = ["it is missing"] if difference.change == "create" else [str(each) for each in difference.details]
    lines += [difference.why] if difference.why else []
    for number, line in enumerate(lines or [""]):
        yield (change, difference.name, line) if number == 0 else ("", "", line)
