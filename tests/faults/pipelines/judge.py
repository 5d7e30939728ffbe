"""What happened in a crash run of pipelines, and whether it keeps the promise. Pure functions of what was written."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

#: A unit as its fence calls it: `step/<run>/<step>`, with the number of its first item where it has one.
Unit = str


@dataclass(frozen=True, kw_only=True)
class Start:
    """An attempt began: of which unit, under which token, when, and in which process."""

    unit: Unit
    token: int
    moment: float
    pid: int


@dataclass(frozen=True, kw_only=True)
class Journal:
    """What workers wrote."""

    starts: Sequence[Start]
    ended: frozenset[tuple[Unit, int]]
    copies: int = 0


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A unit as it is on record when all is over."""

    state: str
    #: The token under which it was settled.
    token: int
    #: When it was.
    ended: float


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that is known of a run of pipelines."""

    runs: Sequence[str]
    #: How each run ended.
    ends: Mapping[str, str]
    #: Of each run that is done: the token in its result for each step and item.
    results: Mapping[str, Mapping[Unit, int]]
    #: The units that each run must have done with an effect; batches may have been separated, so they are not here.
    wanted: frozenset[Unit]
    records: Mapping[Unit, Recorded]
    effects: Sequence[tuple[Unit, int]]
    #: How often each run was told to be done.
    told: Mapping[str, int]
    #: Whatever else is left.
    left: Sequence[str] = ()
    journal: Journal = Journal(starts=(), ended=frozenset())
    #: When each process stood still.
    frozen: Mapping[int, Sequence[tuple[float, float]]] = field(default_factory=dict)

    def with_journal(self, journal: Journal, frozen: Mapping[int, Sequence[tuple[float, float]]]) -> "Evidence":
        """The same, with what workers wrote."""
        return replace(self, journal=journal, frozen=frozen)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The checker's findings."""

    runs: int
    units: int
    starts: int
    copies: int
    #: Attempts beyond the first of a unit.
    repeats: int
    #: Runs that are not done, or whose end was not told once.
    unfinished: frozenset[str]
    #: Units without an effect, effects beyond the first of a unit, and effects that nobody asked for.
    lost: frozenset[Unit]
    duplicates: int
    unasked: frozenset[Unit]
    #: Units whose recorded attempt is not the one that had the effect, or never came to its end.
    miscounted: frozenset[Unit]
    #: Attempts under tokens that were given after the unit was done.
    handed_out_again: frozenset[Unit]
    #: Attempts that began after their unit was done, in processes that were not frozen meanwhile.
    late: frozenset[Unit]
    #: Units that are not done, and whatever else is left.
    left: frozenset[str]

    @property
    def clean(self) -> bool:
        """Whether the promise is kept; attempts may be repeated, but not what is done."""
        found = (self.unfinished, self.lost, self.unasked, self.miscounted, self.handed_out_again, self.late, self.left)
        return not any(found) and not self.duplicates

    def __str__(self) -> str:
        return (
            f"{self.runs} runs, {self.units} units: {len(self.unfinished)} runs not done, {len(self.lost)} effects "
            f"lost, {self.duplicates} duplicate, {len(self.unasked)} unasked, {len(self.miscounted)} miscounted, "
            f"{len(self.handed_out_again)} done and handed out again, {len(self.late)} begun late, {len(self.left)} "
            f"left; {self.starts} attempts, {self.repeats} of them repeats, {self.copies} messages copied"
            f"{self._some()}"
        )

    def _some(self) -> str:
        found = {
            "unfinished": self.unfinished, "lost": self.lost, "unasked": self.unasked, "miscounted": self.miscounted,
            "handed out again": self.handed_out_again, "late": self.late, "left": self.left,
        }  # fmt: skip
        return "".join(f"\n  {name}: {sorted(those)[:5]}" for name, those in found.items() if those)


def judge(evidence: Evidence) -> Verdict:
    """Every run is done, every effect was made once, and by the attempt that is on record."""
    journal, records = evidence.journal, evidence.records
    effects = Counter(unit for unit, _ in evidence.effects)
    attempts = Counter(start.unit for start in journal.starts)
    ours = tuple(f"step/{run}/" for run in evidence.runs)
    return Verdict(
        runs=len(evidence.runs),
        units=len(records),
        starts=len(journal.starts),
        copies=journal.copies,
        repeats=sum(count - 1 for count in attempts.values()),
        unfinished=frozenset(
            run for run in evidence.runs if evidence.ends.get(run) != "done" or evidence.told.get(run) != 1
        ),
        lost=evidence.wanted - effects.keys(),
        duplicates=sum(count - 1 for count in effects.values()),
        unasked=frozenset(unit for unit in effects if unit not in evidence.wanted or not unit.startswith(ours)),
        miscounted=frozenset(_miscounted(evidence)),
        handed_out_again=frozenset(
            start.unit for start in journal.starts if start.unit in records and start.token > records[start.unit].token
        ),
        late=frozenset(_late(journal.starts, records, evidence.frozen)),
        left=frozenset(evidence.left) | {unit for unit, found in records.items() if found.state != "done"},
    )


def _miscounted(evidence: Evidence) -> Iterable[Unit]:
    """The result of a run names the attempts that counted: each must have had the effect or, without one, ended."""
    made: dict[Unit, set[int]] = defaultdict(set)
    for unit, token in evidence.effects:
        made[unit].add(token)
    for named in evidence.results.values():
        for unit, token in named.items():
            ended = _unit_of(unit, token, evidence.journal) in evidence.journal.ended
            if made[unit] != {token} if unit in made else not ended:
                yield unit


def _unit_of(item: Unit, token: int, journal: Journal) -> tuple[Unit, int]:
    """The parcel in which an item was done under a token: the nearest one that begins with it or before it."""
    step, _, number = item.rpartition("/")
    if not number.isdigit():
        return item, token
    parcels = (f"{step}/{first}" for first in range(int(number), -1, -1))
    return next(((parcel, token) for parcel in parcels if (parcel, token) in journal.ended), (item, token))


def _late(
    starts: Iterable[Start], records: Mapping[Unit, Recorded], frozen: Mapping[int, Collection[tuple[float, float]]]
) -> Iterable[Unit]:
    for start in starts:
        found = records.get(start.unit)
        if found is None or start.moment <= found.ended:
            continue
        # Who was stopped between his last look at the clock and his first step has not been handed anything.
        if not any(since <= start.moment and until >= found.ended for since, until in frozen.get(start.pid, ())):
            yield start.unit


def read_journal(folder: Path) -> Journal:
    """From the journals of all processes."""
    starts: list[Start] = []
    ended: set[tuple[Unit, int]] = set()
    copies = 0
    for path in folder.glob("*.log"):
        for line in path.read_text().splitlines():
            what, unit, token, moment = line.split()
            match what:
                case "start":
                    starts.append(Start(unit=unit, token=int(token), moment=float(moment), pid=int(path.stem)))
                case "end":
                    ended.add((unit, int(token)))
                case "copies":
                    copies += int(token)
    return Journal(starts=starts, ended=frozenset(ended), copies=copies)
