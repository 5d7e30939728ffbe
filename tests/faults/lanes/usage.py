"""How much of the living workers was used, while there was enough to do. A pure function of what was written down."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.faults.lanes.judge import Journal


@dataclass
class Outages:
    """When each process could not work: it was frozen, or dead for good."""

    frozen: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    dead: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """How many lanes were ready at a moment."""

    moment: float
    ready: int


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Of the places for jobs in living workers, how many were taken."""

    taken: int
    places: int
    #: Samples at which at least as many lanes were ready as places were free, and all.
    counted: int
    samples: int

    @property
    def share(self) -> float:
        return self.taken / self.places if self.places else 0.0

    def __str__(self) -> str:
        return f"{self.share:.1%} of living workers used ({self.counted} of {self.samples} samples count)"


def measure(samples: Sequence[Sample], journal: Journal, outages: Outages, concurrency: int) -> Usage:
    """Look at each sample: who lived, what it ran, and whether what was free could have been used."""
    running = _Running(journal)
    taken = places = counted = 0
    for sample in samples:
        living = [pid for pid in journal.up if _lives(pid, sample.moment, journal, outages)]
        busy = sum(min(concurrency, running.at(pid, sample.moment)) for pid in living)
        room = concurrency * len(living)
        if room and sample.ready >= room - busy:
            counted, taken, places = counted + 1, taken + busy, places + room
    return Usage(taken=taken, places=places, counted=counted, samples=len(samples))


def _lives(pid: int, moment: float, journal: Journal, outages: Outages) -> bool:
    if moment < journal.up[pid] or moment >= outages.dead.get(pid, float("inf")):
        return False
    return not any(start <= moment < end for start, end in outages.frozen.get(pid, ()))


class _Running:
    """How many runs each process had under way at any moment; one that was cut off lasts until it died."""

    def __init__(self, journal: Journal) -> None:
        starts: dict[int, list[float]] = {pid: [] for pid in journal.up}
        ends: dict[int, list[float]] = {pid: [] for pid in journal.up}
        for run in journal.runs:
            starts.setdefault(run.pid, []).append(run.start)
            if run.end is not None:
                ends.setdefault(run.pid, []).append(run.end)
        self._starts: Mapping[int, list[float]] = {pid: sorted(each) for pid, each in starts.items()}
        self._ends: Mapping[int, list[float]] = {pid: sorted(each) for pid, each in ends.items()}

    def at(self, pid: int, moment: float) -> int:
        return bisect_right(self._starts[pid], moment) - bisect_right(self._ends.get(pid, []), moment)
