"""What workers of the plain design do in the crash run: the same, without a fence, because they have none."""

import time

import msgspec

from tests.faults.lanes.effects import FileEffects
from tests.faults.lanes.journal import mark

_effects = FileEffects()
mark("up", "-", 0)


def tend(key: str, item: bytes) -> None:
    """Work, and have the effect in a file of one's own."""
    number, milliseconds = msgspec.json.decode(item, type=tuple[int, float])
    mark("start", key, number)
    try:
        time.sleep(milliseconds / 1000)
        _effects.write(None, key, number)
    finally:
        mark("end", key, number)
