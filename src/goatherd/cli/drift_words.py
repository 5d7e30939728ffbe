"""What a comparison with a broker came to, in sentences for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from goatherd.cli.wording import counted
from goatherd.desk.drift_words import counts
from goatherd.model.difference import Difference


def told_counts(differences: Sequence[Difference]) -> str:
    """`3 differences: 1 create, 2 bind`."""
    parts = [f"{number:,} {change}" for change, number in counts(differences).items() if number]
    return f"{counted(len(differences), 'difference')}: {', '.join(parts)}"


def told_risks(differences: Sequence[Difference]) -> str:
    """What the marks in a table mean, as one sentence; nothing if there are none."""
    losing = {what: sum(any(risk.loses == what for risk in each.risks) for each in differences) for what in _LOSSES}
    parts = [f"{number:,} could lose {what}" for what, number in losing.items() if number]
    stuck = sum(not each.mendable for each in differences)
    parts += [f"{stuck:,} cannot be mended from here"] if stuck else []
    return f"{'Of these, ' if len(differences) > 1 else ''}{', '.join(parts)}." if parts else ""


def next_step(differences: Sequence[Difference], target: str) -> str:
    """What to run after a plan."""
    apply = f"goatherd topology apply {target}"
    mendable = [each for each in differences if each.mendable]
    if not mendable:
        return "Nothing of this can be mended from here: the notes say who can."
    risky = [each for each in mendable if not each.is_safe]
    if not risky:
        return f"To mend {'it' if len(mendable) == 1 else 'them'} without losing a message: {apply}"
    if len(risky) == len(mendable):
        return f"When you have read what is marked with !, to mend it all the same: {apply} --allow-loss"
    return f"To mend what is safe: {apply}   (all: --allow-loss)"


_LOSSES = ("messages", "order")
