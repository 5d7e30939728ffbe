"""What happened in a fault run, and whether it keeps the promise. A pure function of what was written down."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class History:
    """Starts and ends of jobs by id."""

    starts: Counter[str]
    ends: Counter[str]

    @classmethod
    def read(cls, folder: Path) -> "History":
        starts: Counter[str] = Counter()
        ends: Counter[str] = Counter()
        for journal in folder.glob("*.log"):
            for line in journal.read_text().splitlines():
                what, job, _ = line.split()
                (starts if what == "start" else ends)[job] += 1
        return cls(starts, ends)


@dataclass(frozen=True)
class Verdict:
    """The checker's findings."""

    lost: frozenset[str]
    dead: frozenset[str]
    unasked: frozenset[str]
    #: Runs of a job beyond its first.
    repeats: int


def judge(
    accepted: Collection[str], history: History, dead: Collection[str], doubtful: Collection[str] = ()
) -> Verdict:
    """Every accepted job must be done or dead; only accepted ones, and those of unknown outcome, may appear."""
    asked = frozenset(accepted)
    done = frozenset(history.ends)
    return Verdict(
        lost=asked - done - frozenset(dead),
        dead=frozenset(dead),
        unasked=frozenset(history.starts) - asked - frozenset(doubtful),
        repeats=sum(count - 1 for count in history.starts.values() if count > 1),
    )
