"""What replay and discard share: choose the letters, ask, act in steps, and tell."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from goatherd.cli.letter_choice import Choice
from goatherd.cli.output import console
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.engine.dead_letters import DeadLetterOffice
    from goatherd.engine.lane_returns import Returned
    from goatherd.model.dead_letter import DeadLetter, LetterFilter

#: Letters from which on a progress bar is shown.
LONG = 200
#: Tasks that a question names before it says "and others".
MOST_NAMED = 4


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The letters that are meant, as they were when the user was asked."""

    tasks: Counter[str]
    #: By id, or by a filter that leaves out what came later.
    ids: tuple[str, ...]
    wanted: LetterFilter
    limit: int | None
    #: How many of them belong in lanes.
    ordered: int

    @property
    def count(self) -> int:
        """How many."""
        return self.tasks.total()

    def told(self) -> str:
        """`12 dead letters (10 send_mail, 2 nap)`."""
        named = [f"{number:,} {task}" for task, number in self.tasks.most_common(MOST_NAMED)]
        others = ["others"] if len(self.tasks) > MOST_NAMED else []
        return f"{counted(self.count, 'dead letter')} ({', '.join(named + others)})"


def check_choice(letters: Sequence[str], choice: Choice, *, everything: bool) -> None:
    """Exactly one way to say which are meant; raises UsageError."""
    ways = [bool(letters), not choice.is_everything, everything]
    if sum(ways) == 0:
        raise click.UsageError("Say which dead letters: ids, filters such as --task and --error, or --all.")
    if sum(ways) > 1:
        raise click.UsageError("Ids, filters and --all each say which dead letters are meant; give one of the three.")


def choose(app: Goatherd, letters: Sequence[str], choice: Choice) -> Chosen:
    """Find the letters; raises NotThere for an id that is unknown."""
    from goatherd.desk.letter_office import find_letter, office_of

    wanted = choice.as_filter()

    async def look() -> list[DeadLetter]:
        async with app:
            office = office_of(app)
            if letters:
                return [await find_letter(office, letter) for letter in letters]
            return [letter async for letter in office.find(wanted, choice.limit)]

    found = asyncio.run(look())
    ids = tuple(dict.fromkeys(letter.id for letter in found)) if letters else ()
    by_id = {letter.id: letter for letter in found}
    tasks = Counter(letter.task or "of unknown task" for letter in by_id.values())
    ordered = sum(letter.key is not None for letter in by_id.values())
    return Chosen(tasks=tasks, ids=ids, wanted=wanted, limit=choice.limit, ordered=ordered)


def act(
    app: Goatherd, total: int, steps: Callable[[DeadLetterOffice], AsyncIterator[int]]
) -> tuple[int, Sequence[Returned]]:
    """Run the steps, each of which tells how many are done so far; returns how many, and where in lanes they went."""

    from goatherd.desk.letter_office import office_of

    async def run() -> tuple[int, Sequence[Returned]]:
        done = 0
        async with app:
            office = office_of(app)
            with _progress(total) as told:
                try:
                    async for done in steps(office):
                        told(done)
                except asyncio.CancelledError:
                    click.echo(f"\n{done:,} of {total:,} are done; the others are as they were.", err=True)
                    raise
        return done, office.returned

    return asyncio.run(run())


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """Somewhere to tell how far it is: a bar where it takes long and somebody watches."""
    watched = console(stderr=True)
    if total < LONG or not watched.is_terminal:
        yield lambda done: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    with Progress(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=watched, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=done)
