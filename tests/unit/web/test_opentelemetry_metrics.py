"""OpenTelemetry is told of a gateway what Prometheus is told."""

import asyncio
from collections.abc import Iterator

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from goatherd.testing.suites.event_store import Author
from goatherd.web.gateway import Gateway
from tests.unit.web.conftest import Visit
from tests.unit.web.test_metrics import samples


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemoryMetricReader]:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    monkeypatch.setattr(metrics, "get_meter", provider.get_meter)
    yield reader
    provider.shutdown()


def told(reader: InMemoryMetricReader) -> dict[str, float]:
    """Every value by the name that Prometheus gives it and its labels."""
    found: dict[str, float] = {}
    collected = reader.get_metrics_data()
    for resource in [] if collected is None else collected.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                ending = "_total" if getattr(metric.data, "is_monotonic", False) else ""
                for point in metric.data.data_points:
                    labels = "".join(map(str, (point.attributes or {}).values()))
                    found[metric.name + ending + labels] = point.value  # type: ignore[union-attr]
    return {name: value for name, value in found.items() if name.startswith("sse_gateway_")}


async def test_opentelemetry_tells_what_prometheus_tells(
    reader: InMemoryMetricReader, visit: Visit, author: Author, gateway: Gateway
) -> None:
    visitors = [await visit().told("token_recovery") for _ in range(2)]
    await author.say("a")
    for visitor in visitors:
        await visitor.told("token")
    # As an exporter does it, on a thread of its own.
    found = await asyncio.to_thread(told, reader)
    assert found["sse_gateway_active_jobs"] == 1
    assert found["sse_gateway_events_distributed_total"] == 2
    assert found == samples(gateway.metrics_text())
