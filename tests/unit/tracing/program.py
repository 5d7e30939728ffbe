"""A program that configures OpenTelemetry as its documentation says, and has a task in a process of its own."""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

from goatherd import Goatherd


class ToFile(SpanExporter):
    """Adds a line for each span: the trace, the span, the one that it is under, and its name."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        with Path(os.environ["SPANS"]).open("a") as file:
            for span in spans:
                above = 0 if span.parent is None else span.parent.span_id
                file.write(f"{span.context.trace_id:032x} {span.context.span_id:016x} {above:016x} {span.name}\n")
        return SpanExportResult.SUCCESS


provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ToFile()))
trace.set_tracer_provider(provider)

app = Goatherd("program", broker_url=os.environ.get("JOBS", "sqlite:///jobs.db"))


@app.task(executor="process")
def heavy() -> int:
    with trace.get_tracer("the program").start_as_current_span("in the child"):
        return os.getpid()


async def main() -> None:
    async with app.serve("worker"):
        with trace.get_tracer("the program").start_as_current_span("main"):
            assert await heavy.call() != os.getpid()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
