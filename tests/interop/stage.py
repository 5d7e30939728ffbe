"""What the cases share: a place where a task tells what it did, and one where dead letters are seen."""

import asyncio
from typing import Any

from goatherd import Goatherd
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.model.dead_letter import DeadLetter, LetterFilter

#: Seconds that a job, or a dead letter, may take to appear.
PATIENCE = 15.0


class Told:
    """What the app's own code told, in order."""

    def __init__(self) -> None:
        self._said: asyncio.Queue[Any] = asyncio.Queue()

    def __call__(self, what: Any) -> None:
        self._said.put_nowait(what)

    async def next(self) -> Any:
        return await asyncio.wait_for(self._said.get(), PATIENCE)


def letters_of(app: Goatherd) -> Told:
    """Every dead letter of the app, as its own hook is told of it."""
    told = Told()

    @app.on_dead_letter
    async def tell(letter: DeadLetter) -> None:
        told(letter)

    return told


async def stored_letters(app: Goatherd) -> list[DeadLetter]:
    """The dead letters that are there now, as the command line finds them."""
    office = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
    return [letter async for letter in office.find(LetterFilter())]
