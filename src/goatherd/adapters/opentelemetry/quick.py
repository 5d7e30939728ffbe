"""A span for an attempt that costs less than the SDK's own, for a worker may make tens of thousands in a second.

It takes part in the SDK's pipeline as any other: processors and exporters get a `ReadableSpan`. What that consists of
is only put together when somebody reads it, and most of the time that is after the job, in the exporter's thread.

Only where nothing is to be decided: the job is in a trace, and the sampler does with it what the sender's has done.
Everything else is left to the SDK.
"""

import re
from collections.abc import Callable, Mapping
from time import time_ns
from traceback import format_exception
from typing import Any, Final

from opentelemetry import trace
from opentelemetry.attributes import BoundedAttributes
from opentelemetry.sdk.trace import Event, ReadableSpan, Tracer
from opentelemetry.sdk.trace.sampling import Sampler
from opentelemetry.sdk.util import BoundedList
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.util.types import Attributes, AttributeValue

from goatherd.adapters.opentelemetry import names
from goatherd.adapters.opentelemetry.spans import OpenSpan, tell_of_fault
from goatherd.model.formats import Work
from goatherd.model.task import TaskDefinition
from goatherd.model.verdict import Done, Verdict

#: A span of the only version there is, with flags that are known: recorded or not, its id random as a whole or not.
_KNOWN: Final = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[0-3]", re.ASCII).fullmatch
_FLAGS: Final = {f"0{flags}": TraceFlags(flags) for flags in range(4)}
#: Attributes, events and links that the SDK keeps of a span, unless it was told otherwise.
MOST = 128
_UNSET = Status(StatusCode.UNSET)


def follows_senders(sampler: Sampler) -> bool:
    """Whether it records what is in a trace that is recorded, and nothing of one that is not."""
    told = sampler.get_description()
    return "remoteParentSampled:AlwaysOnSampler" in told and "remoteParentNotSampled:AlwaysOffSampler" in told


def keeps_as_much(tracer: Tracer) -> bool:
    """Whether it keeps of a span as much as the SDK does by itself, and records at all."""
    limits = getattr(tracer, "_span_limits", None)
    told = [getattr(limits, name, None) for name in ("max_span_attributes", "max_events", "max_links")]
    cuts = getattr(limits, "max_span_attribute_length", None)
    is_enabled = getattr(tracer, "_is_enabled", lambda: True)
    return told == [MOST, MOST, MOST] and cuts is None and bool(is_enabled())


def _named_by(text: str) -> SpanContext:
    return SpanContext(int(text[3:35], 16), int(text[36:52], 16), True, _FLAGS[text[53:]])


class QuickSpans:
    """Makes them for one app."""

    def __init__(self, tracer: Tracer, scope: InstrumentationScope, always: Mapping[str, AttributeValue]) -> None:
        self.processor = tracer.span_processor
        self.resource = tracer.resource
        self.new_id = tracer.id_generator.generate_span_id
        self.scope = scope
        #: What all of them tell.
        self.always = always

    def begin(self, parent: str, task: TaskDefinition, work: Work) -> "QuickSpan | trace.NonRecordingSpan | None":
        """A span under the one that a message names; None if that is nothing that is known here."""
        if _KNOWN(parent) is None:
            return None
        if parent[54] in "02":
            # It is only passed on.
            return trace.NonRecordingSpan(_named_by(parent))
        span = QuickSpan(self, parent, task, work)
        self.processor.on_start(span)  # type: ignore[arg-type] # what processors may do with it at its start, it can
        return span


class _MadeOnce:
    """An attribute that is made when it is first read, and is then one like any other.

    That of `functools` has a lock, which takes longer than all the rest.
    """

    def __init__(self, make: Callable[[Any], SpanContext]) -> None:
        self._make = make
        self._name = make.__name__

    def __get__(self, of: Any, kind: type | None = None) -> SpanContext:
        # Two threads may come to it at once, and must not have two of it.
        made: SpanContext = of.__dict__.setdefault(self._name, self._make(of))
        return made


class QuickSpan(ReadableSpan, trace.Span):
    """One of them; also what the task's own code finds as the current span. Satisfies `Span`, too."""

    # Most spans are told nothing more, so that it is made when there is something.
    _told: dict[str, AttributeValue] | None = None
    _said: "BoundedList[Event] | None" = None
    _linked: "BoundedList[Link] | None" = None
    _renamed = ""
    _outcome = ""
    _stands = _UNSET
    _ended = 0

    def __init__(self, of: QuickSpans, parent: str, task: TaskDefinition, work: Work) -> None:
        # Not the base's own: what that one keeps is made by `__getattr__`, all at once, when the first of it is read.
        self._of = of
        self._under = parent
        self._task = task
        self._work = work
        self._began = time_ns()

    @_MadeOnce
    def context(self) -> SpanContext:
        """Its place in the trace."""
        text = self._under
        return SpanContext(int(text[3:35], 16), self._of.new_id(), False, _FLAGS[text[53:]])

    def get_span_context(self) -> SpanContext:
        return self.context

    def is_recording(self) -> bool:
        return not self._ended

    def set_attribute(self, key: str, value: AttributeValue) -> None:
        self.set_attributes({key: value})

    def set_attributes(self, attributes: Mapping[str, AttributeValue]) -> None:
        if not self._ended:
            self._told = {**(self._told or {}), **attributes}

    def add_event(self, name: str, attributes: Attributes = None, timestamp: int | None = None) -> None:
        if not self._ended:
            if self._said is None:
                self._said = BoundedList(MOST)
            self._said.append(Event(name, BoundedAttributes(MOST, attributes), timestamp or time_ns()))

    def add_link(self, context: SpanContext, attributes: Attributes = None) -> None:
        if not self._ended:
            if self._linked is None:
                self._linked = BoundedList(MOST)
            self._linked.append(Link(context, attributes))

    def update_name(self, name: str) -> None:
        if not self._ended:
            self._renamed = name

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        # Somebody who said that all is well has the last word.
        if not self._ended and self._stands.status_code is not StatusCode.OK:
            self._stands = status if isinstance(status, Status) else Status(status, description)

    def record_exception(
        self,
        exception: BaseException,
        attributes: Attributes = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        told = {
            names.EXCEPTION_TYPE: type(exception).__qualname__,
            names.EXCEPTION_MESSAGE: str(exception),
            names.EXCEPTION_STACKTRACE: "".join(format_exception(exception)),
        }
        self.add_event(names.EXCEPTION, {**told, **(attributes or {})}, timestamp)

    def stage(self, stage: str, percent: float | None) -> None:
        """It has come so far."""
        OpenSpan(self).stage(stage, percent)

    def ended(self, verdict: Verdict) -> None:
        """The attempt has come to this end."""
        if type(verdict) is Done:
            self._outcome = names.DONE
        else:
            OpenSpan(self).ended(verdict)

    def failed(self, error: BaseException) -> None:
        """It was broken off by an error."""
        OpenSpan(self).failed(error)

    def end(self, end_time: int | None = None) -> None:
        if not self._ended:
            self._ended = end_time or time_ns()
            try:
                self._of.processor.on_end(self)
            except Exception:  # noqa: BLE001 - whatever the program has chosen may raise anything
                tell_of_fault()

    def __getattr__(self, name: str) -> Any:
        made = self._readable()
        if name not in made.__dict__:
            raise AttributeError(name)
        if self._ended:
            # Nothing changes any more.
            self.__dict__.update(made.__dict__)
        return made.__dict__[name]

    def _readable(self) -> ReadableSpan:
        task, work, text = self._task, self._work, self._under
        told: dict[str, AttributeValue] = {
            **self._of.always,
            names.DESTINATION: task.queue,
            names.MESSAGE_ID: work.job_id,
            names.CONVERSATION_ID: work.trace_id,
            names.TASK: task.name,
            names.ATTEMPT: work.attempt,
            **({names.RUN: work.run_id} if work.run_id else {}),
            **({names.OUTCOME: self._outcome} if self._outcome else {}),
            **(self._told or {}),
        }
        return ReadableSpan(
            self._renamed or names.span_name(names.PROCESS, task.name),
            context=self.context,
            parent=_named_by(text),
            resource=self._of.resource,
            attributes=BoundedAttributes(MOST, told),
            events=self._said or (),
            links=self._linked or (),
            kind=SpanKind.CONSUMER,
            status=self._stands,
            start_time=self._began,
            end_time=self._ended or None,
            instrumentation_scope=self._of.scope,
        )
