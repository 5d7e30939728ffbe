"""Measure every contender in turn, again and again."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from benchmarks.contender import AnyContender, CannotBeMeasured, Client
from benchmarks.measures import Plan, Sample
from benchmarks.report import Outcome
from benchmarks.rounds import measure
from benchmarks.settings import Entry
from benchmarks.surroundings import Surroundings


@dataclass(frozen=True, kw_only=True)
class Field:
    """Those who take part."""

    contenders: dict[Entry, AnyContender] = field(default_factory=dict)
    #: Why others do not.
    absences: list[str] = field(default_factory=list)


def gather(entries: Sequence[Entry], folder: Path) -> Field:
    """Import the contenders and see whether each can be measured here."""
    present = Field()
    for entry in entries:
        contender = entry.load()
        try:
            if isinstance(contender, Client):
                contender.program(folder)
        except CannotBeMeasured as error:
            if str(error) not in present.absences:
                present.absences.append(str(error))
            continue
        present.contenders[entry] = contender
    return present


async def run(present: Field, plan: Plan, folder: Path, around: Surroundings, console: Console) -> list[Outcome]:
    """Every contender once, then every contender again: what disturbs the machine for a while disturbs all."""
    samples: dict[Entry, list[Sample]] = {entry: [] for entry in present.contenders}
    turns = [
        (number, entry)
        for number in range(plan.repeat)
        for entry in turned(list(samples), number)
        if entry.in_repetition(number)
    ]
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("", total=len(turns))
        for number, entry in turns:
            contender = present.contenders[entry]
            told = f"{entry.setting}: {contender.label}, run {number + 1} of {plan.repeat}"
            progress.update(bar, description=told)
            with tempfile.TemporaryDirectory(dir=folder) as room, around.room(entry, Path(room)):
                samples[entry].append(await measure(entry, contender, Path(room), plan))
            progress.advance(bar)
    return [
        Outcome(entry=entry, contender=contender, samples=samples[entry])
        for entry, contender in present.contenders.items()
    ]


def turned(entries: Sequence[Entry], by: int) -> list[Entry]:
    """Another first contender in each repetition, so that nobody always follows the same neighbour."""
    first = by % len(entries)
    return [*entries[first:], *entries[:first]]
