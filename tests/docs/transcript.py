"""Compare what a page shows with what a program says.

`...` stands for any text, alone on a line for any lines. How wide the columns of a table are does not matter.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

ANYTHING = "..."
ANY_LINES = "(?:[^\n]*\n)*"
PROMPT = "$ "


@dataclass(frozen=True)
class Command:
    """A command of a console block, with the output that the page shows for it."""

    line: str
    shown: tuple[str, ...]


def commands(text: str) -> Iterator[Command]:
    """The commands of a console block."""
    line, shown = "", list[str]()
    for each in text.splitlines():
        if each.startswith(PROMPT):
            if line:
                yield Command(line, _trimmed(shown))
            line, shown = each.removeprefix(PROMPT), []
        elif line.endswith("\\"):
            line = line.removesuffix("\\") + each.strip()
        else:
            shown.append(each)
    if line:
        yield Command(line, _trimmed(shown))


def says(shown: Sequence[str], said: str) -> bool:
    """Whether the whole of what was said is what is shown."""
    pattern = "".join(ANY_LINES if line.strip() == ANYTHING else f"{line_pattern(line)}\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{plain(line)}\n" for line in said.strip("\n").splitlines())) is not None


def line_pattern(line: str) -> str:
    """A regular expression for one line that is shown."""
    return "[^\n]*".join(map(re.escape, plain(line).split(ANYTHING)))


def plain(line: str) -> str:
    """A line without what depends on the width of others."""
    return re.sub(r"─{2,}", "──", re.sub(r" {2,}", "  ", line.rstrip()))


def _trimmed(lines: list[str]) -> tuple[str, ...]:
    while lines and not lines[-1].strip():
        lines.pop()
    return tuple(lines)
