"""Count what becomes of ticks, by schedule."""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, get_args

from goatherd.model.label_limit import OTHER, Limited
from goatherd.model.schedule import Decision

#: - `fired`: its run was begun; `waiting`: it begins when the one before it has ended.
#: - `skipped`: an earlier one was still worked on; `missed`: nobody was there in time.
TickOutcome: TypeAlias = Literal["fired", "waiting", "skipped", "missed"]


def _none_yet() -> dict[TickOutcome, int]:
    # What is not there cannot be seen to grow.
    return dict.fromkeys(get_args(TickOutcome), 0)


class TickCounts:
    """As one process has put them on record: of all processes, one does so for each tick."""

    def __init__(self, names: Iterable[str]) -> None:
        self._counts: Limited[str, dict[TickOutcome, int]] = Limited(_none_yet, OTHER)
        for name in names:
            # Those of the program come before all that people may set.
            self._counts[name]

    def note(self, decision: Decision) -> int:
        """It was heard; gives how many ticks were missed without being made up for."""
        counts = self._counts[decision.name]
        missed = 0
        for firing in decision.firings:
            if firing.state == "missed":
                missed += firing.missed + 1
            else:
                counts["fired" if firing.state == "due" else firing.state] += 1
                counts["missed"] += firing.missed
        counts["missed"] += missed
        return missed

    def readings(self) -> Mapping[tuple[str, str], int]:
        """By schedule and outcome."""
        counts = list(self._counts.items())
        return {(name, outcome): count for name, each in counts for outcome, count in each.items()}
