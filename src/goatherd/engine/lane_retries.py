"""The head of a lane as it is tried again because somebody wants it."""

from collections.abc import Callable

import msgspec

from goatherd.engine.dead_letters import fresh_message, read_work
from goatherd.model.formats import Format
from goatherd.model.lane import packed, unpacked


def tried_anew(content: bytes, format_of: Callable[[str], Format], *, given_up: bool) -> bytes | None:
    """The same job with its counts begun anew; None if it cannot be read, and is best left as it is.

    One that was given up has no deadline any more, for it may be what it died of, and nobody waits for its answer:
    whoever did has been told. Of one that was only waiting for its next attempt, both stay.
    """
    try:
        message = unpacked(content)
    except msgspec.DecodeError:
        return None
    layout = format_of(message.queue)
    fresh = fresh_message(message, layout)
    if given_up:
        return packed(msgspec.structs.replace(fresh, reply_to="", correlation_id=""))
    body = message.body if read_work(message, layout) is None else layout.for_attempt(message.body, 1)
    return packed(msgspec.structs.replace(fresh, body=body, expires=message.expires))
