"""Spans of a test, kept in memory, and how a test reads them: which span is under which."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Tracer

from goatherd.adapters.opentelemetry import opening


class Kept(InMemorySpanExporter):
    """Keeps spans, and says so."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """What has just ended."""
        self.changed.set()
        return super().export(spans)


class Story:
    """All spans that have ended so far."""

    def __init__(self, provider: TracerProvider, kept: Kept) -> None:
        self.provider = provider
        #: For spans of the program's own.
        self.tracer: Tracer = provider.get_tracer("the program")
        self._kept = kept

    @property
    def spans(self) -> list[ReadableSpan]:
        """In the order in which they began."""
        return sorted(self._kept.get_finished_spans(), key=lambda span: span.start_time or 0)

    def named(self, name: str) -> list[ReadableSpan]:
        """Those of one name."""
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        """The only one of that name."""
        [span] = self.named(name)
        return span

    async def until(self, holds: Callable[["Story"], bool]) -> None:
        """Wait for spans of this loop to end."""
        async with asyncio.timeout(30):
            while not holds(self):
                self._kept.changed.clear()
                await self._kept.changed.wait()

    def tree(self) -> list[str]:
        """Each span with those that it is under: `GET / > send greet > process greet`."""
        by_id = {span.context.span_id: span for span in self.spans}
        return sorted(self._path(span, by_id) for span in self.spans)

    @property
    def traces(self) -> int:
        """How many there are."""
        return len({span.context.trace_id for span in self.spans})

    def _path(self, span: ReadableSpan, by_id: Mapping[int, ReadableSpan]) -> str:
        above = by_id.get(span.parent.span_id) if span.parent is not None else None
        return span.name if above is None else f"{self._path(above, by_id)} > {span.name}"


def told(span: ReadableSpan, *names: str) -> tuple[Any, ...]:
    """Some attributes of a span."""
    return tuple((span.attributes or {}).get(name) for name in names)


@contextmanager
def recorded() -> Iterator[Story]:
    """What is recorded meanwhile, as if the program had configured it; a real program does so once for its life."""
    provider, kept = TracerProvider(), Kept()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    with patch.object(opening, "provider_in_force", lambda: provider):
        yield Story(provider, kept)
    provider.shutdown()
