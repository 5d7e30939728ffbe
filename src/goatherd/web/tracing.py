"""A client's stream in the trace of the job that it shows."""

import logging

from goatherd.errors import Unavailable
from goatherd.model.event import BEGINNING, Queued
from goatherd.model.trace_context import BAGGAGE, NO_CARRIER, TRACEPARENT, TRACESTATE, Carrier, carrier_in
from goatherd.ports.events import Events
from goatherd.ports.tracer import Span
from goatherd.web.asgi import Request
from goatherd.web.sources import Source

log = logging.getLogger("goatherd.gateway")


async def begin_span(source: Source, app: str, job_id: str, request: Request) -> Span | None:
    """A span for a stream that begins now; None where nobody wants traces."""
    if source.tracer is None:
        return None
    asked = {name: value for name in (TRACEPARENT, TRACESTATE, BAGGAGE) if (value := request.header(name.encode()))}
    return source.tracer.streaming(app, job_id, await _trace_of(source.events, job_id), carrier_in(asked))


async def _trace_of(events: Events, job_id: str) -> Carrier:
    """The trace of a job, as its first event tells it; nothing if that is no longer kept."""
    try:
        reading = await events.read(job_id, BEGINNING, 1)
    except Unavailable as error:
        # The stream itself may still have what it needs, and is not refused for that.
        log.warning("The trace of job %s is not known, so its stream is not seen in it: %s", job_id, error)
        return NO_CARRIER
    first = reading.entries[0].event() if reading is not None and reading.resumed and reading.entries else None
    return first.trace if isinstance(first, Queued) else NO_CARRIER
