"""What the first event of a job tells of the job itself, for the history, with its arguments as they may be shown."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from goatherd.model import envelope
from goatherd.model.event import WorkKind
from goatherd.model.message import LANE, Message
from goatherd.model.redaction import redacted

#: Bytes that shown arguments take at most, and characters of a text in arguments that would take more.
LARGEST_SHOWN, LONGEST_TEXT = 2048, 100
#: Stands for what is left out.
CUT = "…"


class Introduction(msgspec.Struct, frozen=True, kw_only=True):
    """Of one job."""

    task: str
    queue: str = ""
    #: The full key of its lane.
    key: str = ""
    arguments: msgspec.Raw = msgspec.Raw()
    what: WorkKind = "job"

    def members(self) -> dict[str, Any]:
        """As `Queued` and `Started` have them."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


def introduced(job: Introduction, payload: bytes | msgspec.Raw, hidden: Collection[str]) -> Introduction:
    """The same with arguments, of which those of hidden names are not shown."""
    return msgspec.structs.replace(job, arguments=msgspec.Raw(shown_arguments(payload, hidden)))


def introduced_by(message: Message, hidden: Collection[str]) -> dict[str, Any]:
    """What a message tells of the job in it, for an event; a run has no queue, and its input for a body."""
    if not message.queue:
        it = Introduction(task=message.task, what="run")
        return introduced(it, message.body, hidden).members()
    it = Introduction(task=message.task, queue=message.queue, key=str(message.headers.get(LANE, "")))
    try:
        return introduced(it, envelope.decode(message.body).payload, hidden).members()
    except (envelope.Unparsable, envelope.FromTheFuture):
        # In the layout of another program, where the body is the arguments or has them somewhere.
        return introduced(it, message.body, hidden).members()


def shown_arguments(payload: bytes | msgspec.Raw, hidden: Collection[str]) -> bytes:
    """Arguments as JSON without secrets, cut to what is worth keeping; nothing if they are no JSON."""
    try:
        told = redacted(msgspec.json.decode(payload), hidden)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Of another program, or of somebody who means harm; whoever runs it says so.
        return b""
    for shorten in (_unchanged, _with_short_texts, _with_names_only, _nothing):
        shown = msgspec.json.encode(shorten(told))
        if len(shown) <= LARGEST_SHOWN:
            return shown
    raise AssertionError("the last is short")


def _unchanged(told: Any) -> Any:
    return told


def _with_short_texts(told: Any) -> Any:
    if isinstance(told, Mapping):
        return {name: _short(value) for name, value in told.items()}
    return _short(told)


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[:LONGEST_TEXT] + CUT
    return CUT if isinstance(value, Mapping | list) and value else value


def _with_names_only(told: Any) -> Any:
    return dict.fromkeys(told, CUT) if isinstance(told, Mapping) else CUT


def _nothing(_: Any) -> Any:
    return CUT
