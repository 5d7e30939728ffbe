"""The names of metrics: those that there are, and those in a query."""

import functools
import re

import msgspec

from goatherd.adapters.prometheus import render
from goatherd.engine.meter import Meter
from goatherd.model.routing import RouterReadings
from goatherd.web.metrics import GatewayMetrics


@functools.cache
def shipped_metrics() -> frozenset[str]:
    """Every name that a query may have."""
    readings = msgspec.structs.replace(Meter().readings(), router=RouterReadings())
    found = re.findall(r"^# TYPE (\S+) (\w+)$", render(readings) + GatewayMetrics().text(), re.MULTILINE)
    names = {name for name, kind in found if kind != "histogram"}
    return frozenset(
        names | {f"{name}_{part}" for name, kind in found if kind == "histogram" for part in ("bucket", "sum", "count")}
    )


def metrics_in(query: str) -> set[str]:
    """The metrics that a query asks for."""
    return set(re.findall(r"\b(?:goatherd|sse_gateway)_\w+", query))
