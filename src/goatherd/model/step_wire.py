"""A pipeline's messages: what tells a worker of a unit, of one to stand in for, and of one that failed for good.

A step's message is the native envelope with two members more:

    {"v": 1, "task_id": "video-7", "step": "tts", "attempt": 1, "trace_id": "…", "created_at": "…",
     "pipeline": "dub", "item": 3, "payload": {"segment": {…}}}

`task_id` is the run, `item` the number of the first item, where the step is done item by item. Other programs may leave
out `pipeline`, `attempt`, `trace_id` and `created_at`. A message is a hint: what is done, and with which arguments,
the records say; the payload is for workers of others.
"""

from typing import Annotated, Any
from uuid import UUID, uuid5

import msgspec

from goatherd.model.envelope import BROKEN, VERSION, FromTheFuture, Unparsable, moment
from goatherd.model.message import NO_HEADERS, Message
from goatherd.model.run_record import WHOLE, Trouble, Turn, UnitClaim, UnitKey
from goatherd.model.task import TaskDefinition
from goatherd.model.trace_context import parted

#: Marks a dead letter of a step: to send it again means to try its step again. A text is the queue to which it is sent
#: then, where its own is read by others.
TRY_AGAIN = "gh-step-again"
#: Characters of a run's id, which strangers choose, too; and an item's greatest number. Not every store takes more.
LONGEST_ID, LAST_ITEM = 512, 2**31 - 1

#: Of ids that are made from what they stand for.
NAMESPACE = UUID("6f1c2b8e-6a0e-4f8b-9a53-5d1c1f0f7f11")
_NOTHING = msgspec.Raw(b"{}")
_NO_MESSAGE = msgspec.Raw()
_Item = Annotated[int, msgspec.Meta(ge=WHOLE, le=LAST_ITEM)]
_encode = msgspec.json.Encoder().encode


class StepNote(msgspec.Struct, frozen=True, kw_only=True):
    """What a message says about a unit."""

    v: int = VERSION
    task_id: str = ""
    step: str = ""
    pipeline: str = ""
    item: _Item = WHOLE
    attempt: int = 1
    trace_id: str = ""
    payload: msgspec.Raw = _NOTHING
    #: Of a message about a unit to stand in for: where its step's own messages go.
    routing_key: str = ""
    #: Of a dead letter: the message that it was; empty in every other message. (A union with None would refuse it.)
    original_message: msgspec.Raw = _NO_MESSAGE

    @property
    def key(self) -> UnitKey:
        """The unit."""
        return UnitKey(self.task_id, self.step, self.item)


_decode = msgspec.json.Decoder(StepNote).decode


def read_note(body: bytes) -> StepNote:
    """Read a message in any of the three forms; raises Unparsable or FromTheFuture."""
    try:
        str(body, "utf-8")
        note = _decode(body)
        if bytes(note.original_message):
            return read_note(_unwrapped(note.original_message))
        if note.routing_key and note.item == WHOLE:
            note = msgspec.structs.replace(note, item=_numbered(body))
    except BROKEN as error:
        raise Unparsable(f"not a message of a step: {error}") from error
    if note.v > VERSION:
        raise FromTheFuture(f"version {note.v} of a step's message is newer than this program reads ({VERSION})")
    if not note.task_id:
        raise Unparsable("not a message of a step: it has no task_id")
    if len(note.task_id) > LONGEST_ID or "\0" in note.task_id + note.trace_id:
        raise Unparsable("not a message of a step: its task_id is too long, or has a character that no store takes")
    return note


def step_message(turn: Turn, *, queue: str, task: str, payload: bytes | None, now: float) -> Message:
    """Tell workers of a unit."""
    return _message(turn, queue, task, envelope_of(turn, payload, now))


def message_abroad(
    turn: Turn, task: TaskDefinition, *, payload: bytes, now: float, attempt: int, reply_to: str
) -> Message:
    """Tell foreign workers of a unit; they may know messages that they have seen by the number of the attempt."""
    message = _message(turn, task.queue, task.name, envelope_of(turn, payload, now, attempt))
    unlike = str(uuid5(NAMESPACE, f"{message.id}/{attempt}"))
    return msgspec.structs.replace(message, id=unlike, reply_to=reply_to)


def compensation_message(turn: Turn, *, queue: str, task: str, item_name: str, step_queue: str, now: float) -> Message:
    """Tell workers of a unit that somebody must stand in for."""
    key = turn.key
    numbered: dict[str, Any] = {} if key.item == WHOLE else {f"{item_name}_idx": key.item, "item": key.item}
    members = {
        "task_id": key.run,
        "step": key.step,
        **numbered,
        "error": "" if turn.trouble is None else f"{turn.trouble.error_type}: {turn.trouble.message}",
        "created_at": moment(now),
        "routing_key": step_queue,
        "pipeline": turn.pipeline,
    }
    return _message(turn, queue, task, _encode(members))


def letter_body(original: bytes, trouble: Trouble, failed_at: float, attempt: int) -> bytes:
    """What a failed unit leaves on a queue for the dead that others read."""
    return _encode(
        {
            "original_message": msgspec.Raw(original),
            "failed_at": moment(failed_at),
            "failure_reason": f"{trouble.error_type}: {trouble.message}",
            "attempt": attempt,
        }
    )


def envelope_of(unit: Turn | UnitClaim, payload: bytes | None, now: float, attempt: int | None = None) -> bytes:
    """A step's message as it stands on the wire; it is about the next attempt, unless another one is named."""
    key = unit.key
    members: dict[str, Any] = {
        "v": VERSION,
        "task_id": key.run,
        "step": key.step,
        "attempt": unit.failures + 1 if attempt is None else attempt,
        "trace_id": parted(unit.trace_id)[0],
        "created_at": moment(now),
        "pipeline": unit.pipeline,
    }
    if key.item != WHOLE:
        members["item"] = key.item
    members["payload"] = _NOTHING if payload is None else msgspec.Raw(payload)
    return _encode(members)


def _message(turn: Turn, queue: str, task: str, body: bytes) -> Message:
    # Each telling is a message of its own: a broker that knows an id would not take it a second time.
    told = f"{turn.key}/{turn.phase}/{turn.failures}/{turn.tellings}/{turn.round}"
    return Message(
        id=str(uuid5(NAMESPACE, told)),
        queue=queue,
        body=body,
        task=task,
        headers=parted(turn.trace_id)[1] or NO_HEADERS,
        priority=turn.priority,
    )


def _unwrapped(original: msgspec.Raw) -> bytes:
    """Some write a message into another as text."""
    raw = bytes(original)
    return msgspec.json.decode(raw, type=str).encode() if raw[:1] == b'"' else raw


def _numbered(body: bytes) -> int:
    """The item in a message of somebody else, who calls it by its own name: `segment_idx`."""
    members = msgspec.json.decode(body, type=dict[str, Any])
    numbers = [value for name, value in members.items() if name.endswith("_idx") and isinstance(value, int)]
    return msgspec.convert(numbers[0], _Item) if numbers else WHOLE
