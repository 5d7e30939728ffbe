"""The W3C trace context as it travels: three headers of a message, and one text in the records of a run."""

from collections.abc import Mapping
from typing import TypeAlias

from goatherd.model.message import Headers

#: Which span caused the work, what its tracing system adds, and what the program wants to have with it.
TRACEPARENT, TRACESTATE, BAGGAGE = "traceparent", "tracestate", "baggage"
#: Characters of one of them. Strangers may send more, which nobody reads and which is not passed on.
LONGEST = 8192

#: Those of the three headers that are there.
Carrier: TypeAlias = Mapping[str, str]

NO_CARRIER: Carrier = {}
#: In the text of a run, before each of them. No header has a line's end in it.
_MARKS = {name: f"\n{name}: " for name in (TRACEPARENT, TRACESTATE, BAGGAGE)}
_FIRST = _MARKS[TRACEPARENT]


def carrier_in(headers: Headers) -> Carrier:
    """What a message brings along; nothing if it is of no trace and has no baggage."""
    if TRACEPARENT not in headers and BAGGAGE not in headers:
        return NO_CARRIER
    told = ((name, headers.get(name)) for name in _MARKS)
    return {name: value for name, value in told if isinstance(value, str) and len(value) <= LONGEST}


def joined(trace_id: str, carrier: Carrier) -> str:
    """A run's trace id and the trace that it belongs to, as one text."""
    # The first mark is there as soon as anything could be taken for it.
    if not carrier and _FIRST not in trace_id:
        return trace_id
    others = (f"{mark}{carrier[name]}" for name, mark in _MARKS.items() if mark is not _FIRST and carrier.get(name))
    return f"{trace_id}{_FIRST}{carrier.get(TRACEPARENT, '')}{''.join(others)}"


def parted(text: str) -> tuple[str, Carrier]:
    """The trace id and the trace in a run's text."""
    # Somebody else may have chosen the id, with anything in it.
    trace_id, mark, rest = text.rpartition(_FIRST)
    if not mark:
        return text, NO_CARRIER
    parent, *others = rest.split("\n")
    told = [(TRACEPARENT, parent), *((name, value) for name, _, value in (line.partition(": ") for line in others))]
    return trace_id, {name: value for name, value in told if value and name in _MARKS}
