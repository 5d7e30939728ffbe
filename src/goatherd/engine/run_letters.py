"""What failed steps leave for the dead letters: written with the failure, carried there afterwards."""

from uuid import uuid5

import msgspec

from goatherd.engine.step_book import Place
from goatherd.engine.unit_settling import trouble_of
from goatherd.model.dead_letter import Burial, StoredLetter
from goatherd.model.envelope import FromTheFuture, Unparsable
from goatherd.model.formats import Work
from goatherd.model.message import Message
from goatherd.model.run_record import RunLetter, Turn, UnitClaim
from goatherd.model.step_wire import NAMESPACE, TRY_AGAIN, envelope_of, letter_body, read_note
from goatherd.ports.dead_letters import DeadLetters
from goatherd.ports.steps import Steps
from goatherd.ports.telemetry import Telemetry

#: Letters that are carried in one step.
BATCH = 100

_encode = msgspec.msgpack.Encoder(enc_hook=dict).encode
_decode = msgspec.msgpack.Decoder(StoredLetter).decode


def letter_of(
    place: Place, unit: UnitClaim | Turn, payload: bytes, burial: Burial, *, for_others: bool, back: str = ""
) -> bytes:
    """What a failed unit leaves: its message with its arguments and, where others read it, why it failed.

    `back` is the queue by which it comes back to us, where its own is read by others.
    """
    task = place.task_in(unit.phase)
    body = envelope_of(unit, payload, unit.created, max(1, burial.attempts))
    if for_others:
        body = letter_body(body, trouble_of(burial), burial.failed_at, burial.attempts)
    letter_id = str(uuid5(NAMESPACE, f"letter of {unit.key} at {burial.failed_at}"))
    message = Message(
        id=str(uuid5(NAMESPACE, str(unit.key))),
        queue=task.queue,
        body=body,
        task=task.name,
        headers={TRY_AGAIN: back or 1},
    )
    return _encode(StoredLetter(id=letter_id, original=message, accepted=unit.created, burial=burial))


def work_of_unit(stored: StoredLetter) -> Work | None:
    """What a failed unit's letter is about; None for the letter of a job that is no part of a run."""
    original = stored.original
    if TRY_AGAIN not in original.headers:
        return None
    try:
        note = read_note(original.body)
    except (Unparsable, FromTheFuture):
        return None
    return Work(
        job_id=note.task_id,
        run_id=note.task_id,
        task=original.task,
        payload=note.payload,
        failures=note.attempt - 1,
        trace_id=note.trace_id,
        created=stored.accepted,
    )


async def carry_run_letters(steps: Steps, dead_letters: DeadLetters, telemetry: Telemetry) -> int:
    """Carry all that wait; returns how many. Raises Unavailable: then the others wait on. One brought twice is one."""
    carried = 0
    while letters := await steps.letters(BATCH):
        stored = [_stored(letter) for letter in letters]
        await dead_letters.keep(stored)
        await steps.remove_letters([letter.id for letter in letters])
        for each in stored:
            telemetry.buried(each.original.queue, each.original.task, each.original.id, each.burial.reason)
        carried += len(letters)
    return carried


def _stored(letter: RunLetter) -> StoredLetter:
    return _decode(letter.content)
