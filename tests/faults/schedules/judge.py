"""Whether each tick fired once, and whether rounds never overlapped. Pure functions of what was written."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from goatherd.model.schedule import Firing

#: Seconds by which a rest may seem too short, for a run ends a moment before that is noted.
SLACK = 0.005


@dataclass(kw_only=True)
class Round:
    """One attempt of a round, by the clock of the machine."""

    run: str
    token: int
    pid: int
    start: float
    end: float | None = None
    #: Whether another attempt of the same run had made the effect.
    found: bool = False
    fenced: bool = False


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that is known."""

    every: float
    rests: float
    strikes: Sequence[Firing]
    walks: Sequence[Firing]
    #: How the run of each firing ended.
    ends: Mapping[str, str]
    #: Units that had an effect, as often as they had it.
    effects: Sequence[str]
    rounds: Sequence[Round]
    killed: Collection[int]
    frozen: Collection[int]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The checker's findings."""

    ticks: int
    walks: int
    fenced: int
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = "".join(f"\n  {each}" for each in self.problems[:12])
        return f"{self.ticks} ticks, {self.walks} rounds, {self.fenced} fenced off; {len(self.problems)} wrong{told}"


def judge(evidence: Evidence) -> Verdict:
    """Look for what must not be."""
    problems = [*_of_ticks(evidence), *_of_runs(evidence), *_of_rounds(evidence)]
    fenced = sum(each.fenced for each in evidence.rounds)
    return Verdict(ticks=len(evidence.strikes), walks=len(evidence.walks), fenced=fenced, problems=problems)


def read_rounds(folder: Path) -> list[Round]:
    """What processes wrote about their rounds."""
    found: dict[tuple[str, int], Round] = {}
    for path in folder.glob("*.log"):
        for line in path.read_text().splitlines():
            what, unit, token, moment = line.split(" ")
            key = unit, int(token)
            if what == "start":
                assert key not in found, f"two attempts under one token: {line}"
                run = unit.split("/")[1]
                found[key] = Round(run=run, token=key[1], pid=int(path.stem), start=float(moment))
            elif what in ("end", "found"):
                found[key].end, found[key].found = float(moment), what == "found"
            elif what == "fenced":
                found[key].fenced = True
    return sorted(found.values(), key=lambda each: each.start)


def _of_ticks(evidence: Evidence) -> Iterable[str]:
    ticks = [round(firing.tick / evidence.every) for firing in evidence.strikes]
    for tick, count in Counter(ticks).items():
        if count > 1:
            yield f"the tick {tick} is on record {count} times"
    for missing in sorted(set(range(min(ticks), max(ticks) + 1)) - set(ticks)):
        yield f"the tick {missing} is not on record"


def _of_runs(evidence: Evidence) -> Iterable[str]:
    effects = Counter(unit.split("/")[1] for unit in evidence.effects)
    fired = {firing.id for firing in (*evidence.strikes, *evidence.walks)}
    for firing in (*evidence.strikes, *evidence.walks):
        if firing.state != "done" or evidence.ends.get(firing.id) != "done":
            yield f"{firing.schedule} {firing.id} is {firing.state}, its run {evidence.ends.get(firing.id)}"
        if effects[firing.id] != 1:
            yield f"{firing.id} had {effects[firing.id]} effects"
    for run in effects.keys() - fired:
        yield f"{run} had an effect, and never fired"
    for run in evidence.ends.keys() - fired:
        yield f"{run} is a run, and never fired"


def _of_rounds(evidence: Evidence) -> Iterable[str]:
    for each in evidence.rounds:
        if each.end is None and not each.fenced and each.pid not in evidence.killed:
            yield f"{each.run} never came to its end in {each.pid}, which was not killed"
        if each.fenced and each.pid not in evidence.frozen:
            yield f"{each.run} was fenced off in {each.pid}, which was not frozen"
    # One that was frozen may come to its end beside others, as long as it has no effect.
    whole = [
        each for each in evidence.rounds if each.end is not None and not (each.found and each.pid in evidence.frozen)
    ]
    for one, other in pairwise(whole):
        assert one.end is not None
        if one.run == other.run:
            if one.found is other.found:
                yield f"{one.run} was done twice"
        elif other.start < one.end + evidence.rests - SLACK:
            yield f"{other.run} began {other.start - one.end:.3f} s after the end of {one.run}"
