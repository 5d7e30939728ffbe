"""What a comparison came to: a table with notes, a summary, and what to run next; or the same for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goatherd.cli.drift_words import told_counts, told_risks
from goatherd.desk.drift_words import counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goatherd.cli.topology_access import Looked
    from goatherd.model.difference import Difference


def print_drift(differences: Sequence[Difference], *, found: str = "found", stderr: bool = False) -> None:
    """The table, its notes, and a summary below."""
    from rich.text import Text

    from goatherd.cli.drift_table import DriftTable
    from goatherd.cli.output import console

    drift = DriftTable(differences, found)
    out = console(stderr=stderr)
    out.print(drift.table(out.width))
    if (notes := drift.notes()) is not None:
        out.print()
        out.print(notes)
    out.print(Text(f"\n{told_counts(differences)}."))
    if risks := told_risks(differences):
        out.print(Text(risks, "red"), soft_wrap=True)


def drift_as_json(looked: Looked) -> dict[str, Any]:
    """All of it, for programs."""
    return {
        "drift": bool(looked.differences),
        "vhost": looked.definition.blueprint.vhost,
        "counts": counts(looked.differences),
        "differences": [each.plain() for each in looked.differences],
        "unseen": looked.survey.unseen,
    }
