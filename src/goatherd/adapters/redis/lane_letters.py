"""Letters of lanes as Redis keeps them: a number each, and one burial for all that were given up together."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from goatherd.adapters.redis.lane_jobs import jobs_in
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import LaneLetter, behind

# Text, which Lua's own reader and writer of msgpack leaves as it is.
encode_burial = msgspec.json.Encoder().encode
decode_burial = msgspec.json.Decoder(Burial).decode

_LOW = (1 << 48) - 1


def letters_in(told: Sequence[Any]) -> Iterator[LaneLetter]:
    """What `lane_letters.lua` tells."""
    for place in range(0, len(told), 5):
        number, lane, burial, head, kept = told[place : place + 5]
        [job] = jobs_in([kept])
        found = decode_burial(burial)
        yield LaneLetter(
            id=letter_id(number),
            lane=lane.decode(),
            content=job.content,
            accepted=job.accepted,
            burial=behind(head.decode(), found) if head else found,
        )


def letter_id(number: int) -> str:
    """The id of a letter: like all ids a UUID that sorts by time, and its end tells it from others."""
    milliseconds, rest = divmod(number, 1000)
    time = f"{milliseconds:012x}"
    return f"{time[:8]}-{time[8:]}-7{rest:03x}-8000-{number & _LOW:012x}"


def number_of(letter: str) -> int | None:
    """The number of a letter; None if there can be no such letter."""
    digits = letter.replace("-", "")
    try:
        number = int(digits[:12], 16) * 1000 + int(digits[13:16], 16)
    except ValueError:
        return None
    return number if letter_id(number) == letter else None
