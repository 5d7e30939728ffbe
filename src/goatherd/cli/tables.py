"""How every table looks."""

from __future__ import annotations

from rich import box
from rich.table import Table


def plain_table() -> Table:
    """Columns under a line, without a frame: readable in 80 columns and in a pipe."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
