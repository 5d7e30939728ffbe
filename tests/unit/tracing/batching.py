"""A program that records spans in batches, as programs in production do, and has a task in a process of its own."""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from goatherd import Goatherd


class ToFile(SpanExporter):
    """Adds a line for each span."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        with Path(os.environ["SPANS"]).open("a") as file:
            file.writelines(f"{span.name}\n" for span in spans)
        return SpanExportResult.SUCCESS


provider = TracerProvider()
# Nothing is told before the end.
provider.add_span_processor(BatchSpanProcessor(ToFile(), schedule_delay_millis=3_600_000))
trace.set_tracer_provider(provider)

app = Goatherd("batching", broker_url=os.environ.get("JOBS", "sqlite:///jobs.db"))


@app.task(executor="process")
def heavy() -> int:
    with trace.get_tracer("the program").start_as_current_span("in the child"):
        return os.getpid()


async def main() -> None:
    async with app.serve("worker"):
        assert await heavy.call() != os.getpid()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
