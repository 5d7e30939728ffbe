"""From a span's context to the headers of a message, and back."""

import re
from typing import Final

from opentelemetry import baggage, trace
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, TraceState
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from goatherd.model.trace_context import BAGGAGE, NO_CARRIER, TRACEPARENT, TRACESTATE, Carrier

#: The only version there is so far; a later one is left to the library.
_PARENT: Final = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})", re.ASCII)
_TRACE_CONTEXT, _BAGGAGE = TraceContextTextMapPropagator(), W3CBaggagePropagator()


def carrier_of(context: Context | None = None) -> Carrier:
    """What takes work into the trace of a context, of the one that is here by default."""
    of_span = trace.get_current_span(context).get_span_context()
    carrier = told(of_span) if of_span.is_valid else {}
    if baggage.get_all(context):
        _BAGGAGE.inject(carrier, context)
    return carrier or NO_CARRIER


def told(span: SpanContext) -> dict[str, str]:
    """A span as the two headers of the standard."""
    carrier = {TRACEPARENT: f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"}
    if span.trace_state:
        carrier[TRACESTATE] = span.trace_state.to_header()
    return carrier


def parent_in(carrier: Carrier) -> SpanContext | None:
    """The span that a message or a request names; None if it names none, or nonsense."""
    text = carrier.get(TRACEPARENT)
    if text is None:
        return None
    found = _PARENT.fullmatch(text)
    if found is None:
        span = trace.get_current_span(_TRACE_CONTEXT.extract(carrier, Context())).get_span_context()
        return span if span.is_valid else None
    state = carrier.get(TRACESTATE)
    span = SpanContext(
        int(found[1], 16),
        int(found[2], 16),
        is_remote=True,
        trace_flags=TraceFlags(int(found[3], 16)),
        trace_state=TraceState.from_header([state]) if state else None,
    )
    return span if span.is_valid else None


def context_in(carrier: Carrier) -> Context:
    """The context that a message brings along; an empty one if it brings none."""
    context = Context()
    parent = parent_in(carrier)
    if parent is not None:
        context = trace.set_span_in_context(NonRecordingSpan(parent), context)
    return _BAGGAGE.extract(carrier, context) if BAGGAGE in carrier else context
