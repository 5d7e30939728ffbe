"""The W3C trace context as it travels: three headers of a message, and one text in the records of a run."""

from collections.abc import Mapping
from typing import TypeAlias

from goatherd.model.message import Headers

#: Which span caused the work, what its tracing system adds, and what the program wants to have with it.
TRACEPARENT, TRACESTATE, BAGGAGE = "traceparent", "tracestate", "baggage"

#: Those of the three headers that are there.
Carrier: TypeAlias = Mapping[str, str]

NO_CARRIER: Carrier = {}
#: In the text of a run, before each of them. No header has a line's end in it.
_MARKS = {name: f"\n{name}: " for name in (TRACEPARENT, TRACESTATE, BAGGAGE)}


def carrier_in(headers: Headers) -> Carrier:
    """What a message brings along; nothing if it is of no trace."""
    if TRACEPARENT not in headers:
        return NO_CARRIER
    return {name: value for name in _MARKS if isinstance(value := headers.get(name), str)}


def joined(trace_id: str, carrier: Carrier) -> str:
    """A run's trace id and the trace that it belongs to, as one text."""
    if not carrier:
        return trace_id
    return trace_id + "".join(f"{mark}{carrier[name]}" for name, mark in _MARKS.items() if carrier.get(name))


def parted(text: str) -> tuple[str, Carrier]:
    """The trace id and the trace in a run's text."""
    # Somebody else may have chosen the id, with anything in it.
    trace_id, mark, rest = text.rpartition(_MARKS[TRACEPARENT])
    if not mark:
        return text, NO_CARRIER
    parent, *others = rest.split("\n")
    told = (line.partition(": ") for line in others)
    return trace_id, {TRACEPARENT: parent, **{name: value for name, _, value in told if name in _MARKS}}
