"""Spans for what jobs cause, by way of OpenTelemetry's own interface; who records them is the program's choice."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanKind
from opentelemetry.util.types import AttributeValue

from goatherd.adapters.opentelemetry import names
from goatherd.adapters.opentelemetry.carrying import carrier_of, context_in, parent_in
from goatherd.adapters.opentelemetry.quick_choice import quick_spans
from goatherd.adapters.opentelemetry.spans import OpenSpan, tell_of_fault
from goatherd.model.formats import Work
from goatherd.model.message import Headers, Message
from goatherd.model.task import TaskDefinition
from goatherd.model.trace_context import BAGGAGE, TRACEPARENT, TRACESTATE, Carrier, carrier_in
from goatherd.ports.tracer import Span, Verb

_EMPTY = Context()


class OpenTelemetryTracer:
    """Satisfies `Tracer` for one app. What the program has chosen to record spans may fail, and no job fails for it."""

    def __init__(self, tracer: trace.Tracer, app: str, system: str) -> None:
        self._tracer = tracer
        self._app = app
        self._system = system
        #: What all attempts tell.
        self._always: dict[str, AttributeValue] = {
            names.SYSTEM: system,
            names.OPERATION: names.PROCESS,
            names.OPERATION_TYPE: names.PROCESS_TYPE,
            names.APP: app,
        }
        self._quick = quick_spans(tracer, self._always)

    def carrier(self) -> Carrier:
        return carrier_of()

    def sending(self, verb: Verb, task: str, queue: str, ids: Sequence[str]) -> AbstractContextManager[None]:
        told: dict[str, AttributeValue] = {
            names.SYSTEM: self._system,
            names.OPERATION: verb,
            names.OPERATION_TYPE: names.SEND_TYPE,
            names.APP: self._app,
            names.TASK: task,
        }
        if queue:
            told[names.DESTINATION] = queue
        if len(ids) == 1:
            told[names.MESSAGE_ID] = ids[0]
        else:
            told[names.BATCH_COUNT] = len(ids)
        # Whoever calls waits for the answer, which makes it the client of the worker.
        kind = SpanKind.CLIENT if verb == "call" else SpanKind.PRODUCER
        return self._current(names.span_name(verb, task), None, kind, told)

    def attempt(self, message: Message, task: TaskDefinition, work: Work) -> Span:
        try:
            return self._begin(message.headers, task, work)
        except Exception:  # noqa: BLE001 - whatever the program has chosen may raise anything
            tell_of_fault()
            # It is only passed on.
            context = context_in(carrier_in(message.headers))
            contexts.attach(context)
            return OpenSpan(trace.get_current_span(context))

    def _begin(self, headers: Headers, task: TaskDefinition, work: Work) -> Span:
        parent = headers.get(TRACEPARENT)
        if self._quick is not None and type(parent) is str and TRACESTATE not in headers and BAGGAGE not in headers:
            quick = self._quick.begin(parent, task, work)
            if quick is not None:
                contexts.attach(trace.set_span_in_context(quick, _EMPTY))
                return OpenSpan(quick) if isinstance(quick, trace.NonRecordingSpan) else quick
        told: dict[str, AttributeValue] = {
            **self._always,
            names.DESTINATION: task.queue,
            names.MESSAGE_ID: work.job_id,
            names.CONVERSATION_ID: work.trace_id,
            names.TASK: task.name,
            names.ATTEMPT: work.attempt,
        }
        if work.run_id:
            told[names.RUN] = work.run_id
        # Not what happens to be current here: a worker may have been started anywhere.
        context = context_in(carrier_in(headers))
        name = names.span_name(names.PROCESS, task.name)
        span = self._tracer.start_span(name, context, SpanKind.CONSUMER, told)
        # Never taken back: the asyncio task of an attempt ends with it.
        contexts.attach(trace.set_span_in_context(span, context))
        return OpenSpan(span)

    def firing(self, schedule: str, id: str) -> AbstractContextManager[None]:
        told: dict[str, AttributeValue] = {names.APP: self._app, names.SCHEDULE: schedule, names.FIRING: id}
        return self._current(names.span_name(names.FIRE, schedule), _EMPTY, SpanKind.INTERNAL, told)

    def streaming(self, app: str, job_id: str, carrier: Carrier, asked: Carrier) -> OpenSpan:
        told = {names.APP: app, names.JOB: job_id}
        here = trace.get_current_span().get_span_context()
        # A server that is traced itself has a span for the request; else the client may have told of one.
        request = here if here.is_valid else parent_in(asked)
        links = [Link(request)] if request is not None else []
        name = names.span_name(names.STREAM, app)
        try:
            return OpenSpan(self._tracer.start_span(name, context_in(carrier), SpanKind.SERVER, told, links))
        except Exception:  # noqa: BLE001 - as above
            tell_of_fault()
            return OpenSpan(trace.INVALID_SPAN)

    @contextmanager
    def within(self, carrier: Carrier) -> Iterator[None]:
        token = contexts.attach(context_in(carrier))
        try:
            yield
        finally:
            contexts.detach(token)

    @contextmanager
    def _current(
        self, name: str, context: Context | None, kind: SpanKind, told: dict[str, AttributeValue]
    ) -> Iterator[None]:
        """A span that is current while the block lasts; None for the context that is here."""
        try:
            span = self._tracer.start_span(name, context, kind, told)
        except Exception:  # noqa: BLE001 - as above
            tell_of_fault()
            span = trace.NonRecordingSpan(trace.get_current_span(context).get_span_context())
        open_span = OpenSpan(span)
        token = contexts.attach(trace.set_span_in_context(span, context))
        try:
            yield
        except BaseException as error:
            open_span.failed(error)
            raise
        finally:
            contexts.detach(token)
            open_span.end()
