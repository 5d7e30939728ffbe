"""The counts of a process as Prometheus text."""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from goatherd.model.families import families_for
from goatherd.model.metric_family import Family
from goatherd.model.readings import BOUNDS, Readings, Spread


def render(readings: Readings) -> str:
    """Every metric of this process."""
    registry = CollectorRegistry()
    registry.register(_Snapshot(readings))
    return generate_latest(registry).decode()


class _Snapshot(Collector):
    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def collect(self) -> Iterable[Metric]:
        return [_metric(family, self._readings) for family in families_for(self._readings)]


def _metric(family: Family, readings: Readings) -> Metric:
    if family.kind == "histogram":
        histogram = HistogramMetricFamily(family.name, family.text, labels=family.labels)
        for labels, spread in family.spreads(readings):
            histogram.add_metric(labels, buckets=list(_cumulative(spread)), sum_value=spread.total)
        return histogram
    make = CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
    metric = make(family.name, family.text, labels=family.labels)
    for labels, value in family.numbers(readings):
        metric.add_metric(labels, value)
    return metric


def _cumulative(spread: Spread) -> Iterator[tuple[str, float]]:
    total = 0
    for bound, count in zip((*BOUNDS, float("inf")), spread.classes, strict=True):
        total += count
        yield ("+Inf" if bound == float("inf") else str(bound)), total
