"""Take jobs that left their lanes to the dead letters.

Lanes and dead letters are different stores: a lane that gives a job up keeps it as a letter, in the same step, until
somebody has brought it where all dead letters are.
"""

from collections.abc import Awaitable, Callable

import msgspec

from goatherd.model.dead_letter import StoredLetter
from goatherd.model.lane import LaneLetter, unpacked
from goatherd.model.message import LANE, Message
from goatherd.ports.dead_letters import DeadLetters
from goatherd.ports.lanes import Lanes
from goatherd.ports.telemetry import Telemetry

#: Letters that are carried in one step.
BATCH = 100


async def carry_letters(
    lanes: Lanes,
    dead_letters: DeadLetters,
    telemetry: Telemetry,
    release: Callable[[Message], Awaitable[None]] | None = None,
) -> int:
    """Carry all that wait; returns how many. Raises Unavailable: then the others wait on.

    Whoever dies on the way, or is slower than somebody else, does no harm: a letter that is brought twice is one.
    """
    carried = 0
    while letters := await lanes.letters(BATCH):
        stored = [stored_letter(letter) for letter in letters]
        await dead_letters.keep(stored)
        if release is not None:
            for each in stored:
                await release(each.original)
        await lanes.remove_letters([letter.id for letter in letters])
        for each in stored:
            original = each.original
            telemetry.buried(original.queue, original.task, original.id, each.burial.reason)
        carried += len(letters)
    return carried


def stored_letter(letter: LaneLetter) -> StoredLetter:
    """A lane's letter as the dead letters keep it; it knows which lane it came from."""
    message = _message(letter)
    marked = msgspec.structs.replace(message, headers={**message.headers, LANE: letter.lane})
    return StoredLetter(id=letter.id, original=marked, accepted=letter.accepted, burial=letter.burial)


def _message(letter: LaneLetter) -> Message:
    try:
        return unpacked(letter.content)
    except msgspec.DecodeError:
        # Written by a newer version, or damaged: kept as it is, for it must not stop those behind it.
        return Message(id=letter.id, queue=letter.lane.partition("=")[0].partition("/")[0], body=letter.content)
