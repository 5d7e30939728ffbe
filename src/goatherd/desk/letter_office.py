"""The dead letters of an open app, and the one that is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goatherd.desk.errors import Ambiguous, NotThere
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.errors import UnknownJob
from goatherd.model.dead_letter import LetterFilter

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.dead_letter import DeadLetter

#: Characters of an id's end that may stand for it; shorter ones are too easily mistaken.
SHORTEST_END = 6


def office_of(app: Goatherd) -> DeadLetterOffice:
    """The dead letters of an open app."""
    session = app.session()
    return DeadLetterOffice(session.ports.dead_letters, app.format_of, session.posting, app.listener_book.have)


async def find_letter(office: DeadLetterOffice, given: str) -> DeadLetter:
    """The letter with that id, that end of an id, or that job's id; raises NotThere or Unavailable."""
    try:
        return await office.get(given)
    except UnknownJob as error:
        unknown = no_letter(error)
    found = [letter async for letter in office.find(LetterFilter()) if is_meant(letter.id, letter.job_id, given)]
    if not found:
        raise unknown
    if len(found) > 1:
        ids = ", ".join(letter.id for letter in found[:5])
        many = f"{len(found)} dead letters are meant by {given!r}: {ids}. Give the whole id of one."
        raise Ambiguous("dead letter", given, told=many)
    return found[0]


def is_meant(letter_id: str, job_id: str, given: str) -> bool:
    """Whether a letter may be called so."""
    return job_id == given or (len(given) >= SHORTEST_END and letter_id.endswith(given.lower()))


def no_letter(error: UnknownJob) -> NotThere:
    """The same as an error of the desk."""
    gone = f"There is no dead letter {error.job_id!r}: it was replayed or discarded, or the id is wrong."
    return NotThere(
        "dead letter", error.job_id, told=gone, at_shell="`goatherd dead list` shows those that are there."
    )  # fmt: skip
