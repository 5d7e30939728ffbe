"""Header tables with the values that we send: text, whole numbers, fractions and truth."""

from collections.abc import Mapping
from functools import lru_cache
from struct import Struct

from goatherd.adapters.rabbitmq.wire import short

_LONG = Struct(">I")
_WHOLE = Struct(">cq")
_FRACTION = Struct(">cd")
_TRUTH = Struct(">c?")


def write_table(headers: Mapping[str, object]) -> bytes:
    """The table as it goes into a header frame; raises ValueError for what it cannot carry.

    Fractions are written in full precision, which pamqp does not do.
    """
    entries = b"".join([_name(name) + _value(name, value) for name, value in headers.items()])
    return _LONG.pack(len(entries)) + entries


#: Programs have few headers, and the same in message after message.
_name = lru_cache(maxsize=1024)(short)


def _value(name: str, value: object) -> bytes:
    if isinstance(value, str):
        text = value.encode()
        return b"S" + _LONG.pack(len(text)) + text
    if isinstance(value, bool):
        return _TRUTH.pack(b"t", value)
    if isinstance(value, int):
        return _WHOLE.pack(b"l", value)
    if isinstance(value, float):
        return _FRACTION.pack(b"d", value)
    raise ValueError(f"the header {name!r} is a {type(value).__name__}, which a message cannot carry")
