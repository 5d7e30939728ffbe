"""The tables of the reference."""

import re

from tests.docs.markdown import DOCS

REFERENCE = DOCS / "reference"


def rows(text: str) -> dict[str, list[str]]:
    """The rows of the tables in a text, by each name in the first column."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) > 1:
            found |= dict.fromkeys(re.findall(r"`([^`]+)`", cells[0]), cells)
    return found


def read(page: str) -> str:
    """The text of a page of the reference."""
    return (REFERENCE / page).read_text(encoding="utf-8")
