"""Whether attempts can have spans that cost little; who does not use the SDK does not import it."""

import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.util.types import AttributeValue

from goatherd.adapters.opentelemetry import names

if TYPE_CHECKING:
    from goatherd.adapters.opentelemetry.quick import QuickSpans


def quick_spans(tracer: trace.Tracer, always: Mapping[str, AttributeValue]) -> "QuickSpans | None":
    """What makes them; None where spans are made by something else, or by rules of their own."""
    if "opentelemetry.sdk.trace" not in sys.modules:
        return None
    from opentelemetry.sdk.trace import Tracer
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    from goatherd.adapters.opentelemetry.quick import QuickSpans, follows_senders, keeps_as_much

    if type(tracer) is not Tracer or not follows_senders(tracer.sampler) or not keeps_as_much(tracer):
        return None
    return QuickSpans(tracer, InstrumentationScope(names.LIBRARY, version("goatherd")), always)
