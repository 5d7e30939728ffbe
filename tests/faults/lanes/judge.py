"""What happened in a crash run, and whether it keeps the promise. Pure functions of what was written down."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

#: A job: its key, and its number among those of its key, in the order in which they were accepted.
Job = tuple[str, int]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a job's code; `end` is None if it never came to it."""

    job: Job
    pid: int
    start: float
    end: float | None = None


@dataclass(frozen=True, kw_only=True)
class Journal:
    """What workers wrote: runs, and when each process was up."""

    runs: Sequence[Run]
    up: Mapping[int, float]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The checker's findings."""

    accepted: int
    lost: frozenset[Job]
    #: Jobs that had their effect after one of the same key that was accepted later.
    out_of_order: frozenset[Job]
    #: Effects beyond the first of a job.
    duplicates: int
    unasked: frozenset[Job]
    #: Keys in whose lane something is left.
    undrained: frozenset[str]
    #: Runs beyond the first of a job, and runs that began while another of the same key had not ended.
    repeats: int
    overlaps: int

    @property
    def clean(self) -> bool:
        """Whether the promise is kept: runs may be repeated and overlap, effects may not."""
        return not (self.lost or self.out_of_order or self.duplicates or self.unasked or self.undrained)

    def __str__(self) -> str:
        return (
            f"{self.accepted} jobs: {len(self.lost)} lost, {len(self.out_of_order)} out of order, "
            f"{self.duplicates} duplicate effects, {len(self.undrained)} keys not drained, "
            f"{len(self.unasked)} unasked; {self.repeats} runs repeated, {self.overlaps} overlapping"
        )


def judge(accepted: Sequence[Job], effects: Sequence[Job], journal: Journal, left: Collection[str] = ()) -> Verdict:
    """Every accepted job must have had its effect once, in the order of its key."""
    counts = Counter(effects)
    runs = Counter(run.job for run in journal.runs)
    return Verdict(
        accepted=len(accepted),
        lost=frozenset(accepted) - counts.keys(),
        out_of_order=frozenset(_overtaken(effects)),
        duplicates=sum(count - 1 for count in counts.values()),
        unasked=frozenset(counts.keys() - set(accepted)),
        undrained=frozenset(left),
        repeats=sum(count - 1 for count in runs.values()),
        overlaps=_overlaps(journal.runs),
    )


def _overtaken(effects: Iterable[Job]) -> Iterable[Job]:
    latest: dict[str, int] = {}
    for key, number in dict.fromkeys(effects):
        if number < latest.get(key, 0):
            yield key, number
        else:
            latest[key] = number


def _overlaps(runs: Iterable[Run]) -> int:
    by_key: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_key[run.job[0]].append(run)
    found = 0
    for each in by_key.values():
        latest = float("-inf")
        for run in sorted(each, key=lambda run: run.start):
            found += run.start < latest
            latest = max(latest, run.end or run.start)
    return found


def read_journal(folder: Path) -> Journal:
    """From the journals of all processes."""
    runs: list[Run] = []
    up: dict[int, float] = {}
    for path in folder.glob("*.log"):
        pid = int(path.stem)
        # One that lost its lane to itself has the same job twice.
        begun: dict[Job, list[float]] = defaultdict(list)
        for line in path.read_text().splitlines():
            what, key, number, moment = line.split()
            job = (key, int(number))
            match what:
                case "up":
                    up[pid] = float(moment)
                case "start":
                    begun[job].append(float(moment))
                case "end":
                    runs.append(Run(job=job, pid=pid, start=begun[job].pop(0), end=float(moment)))
        runs += [Run(job=job, pid=pid, start=start) for job, starts in begun.items() for start in starts]
    return Journal(runs=runs, up=up)
