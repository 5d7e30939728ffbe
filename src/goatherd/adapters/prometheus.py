"""The counts of a process as Prometheus text."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from goatherd.model.listener import ListenerCount
from goatherd.model.readings import BOUNDS, QueueTask, Readings, Spread
from goatherd.model.routing import RouterReadings

Labels = TypeVar("Labels", bound=tuple[str, ...])


def render(readings: Readings) -> str:
    """Every metric of this process."""
    registry = CollectorRegistry()
    registry.register(_Snapshot(readings))
    return generate_latest(registry).decode()


def render_router(readings: RouterReadings) -> str:
    """Every metric of a router."""
    registry = CollectorRegistry()
    registry.register(_Routed(readings))
    return generate_latest(registry).decode()


class _Routed(Collector):
    def __init__(self, readings: RouterReadings) -> None:
        self._readings = readings

    def collect(self) -> Iterable[Metric]:
        now = self._readings
        counts = {
            "noted": ("Events that went into the history of jobs", now.noted),
            "relayed": ("Events that watchers on the live server were told of", now.relayed),
            "unrelayed": ("Events that they were not told of, because it was away", now.unrelayed),
            "reclaimed": ("Events that a router had taken and not finished", now.reclaimed),
            "unreadable": ("Events that could not be read", now.unreadable),
        }
        for name, (text, count) in counts.items():
            yield CounterMetricFamily(f"goatherd_router_{name}", text, value=count)
        trimmed = {("limit",): now.dropped, ("vanished",): now.vanished}
        yield _counter("goatherd_router_trimmed_unread", "Events dropped before they were routed", ("why",), trimmed)
        yield GaugeMetricFamily("goatherd_router_lag_events", "Events that no router has taken", value=now.waiting)
        yield GaugeMetricFamily("goatherd_router_lag_seconds", "Age of the oldest of them", value=now.behind)
        yield GaugeMetricFamily("goatherd_router_unsettled_events", "Events taken, not finished", value=now.unsettled)


class _Snapshot(Collector):
    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def collect(self) -> Iterable[Metric]:
        readings = self._readings
        yield _counter("goatherd_jobs_sent", "Jobs accepted by the broker", ("queue", "task"), readings.sent)
        ended = ("queue", "task", "outcome")
        yield _counter("goatherd_attempts", "Attempts that ended, by outcome", ended, readings.ended)
        buried = ("queue", "task", "reason")
        yield _counter("goatherd_dead_letters", "Jobs that became dead letters, by reason", buried, readings.buried)
        running = GaugeMetricFamily("goatherd_attempts_running", "Attempts that run now", labels=("queue", "task"))
        for labels, value in readings.running.items():
            running.add_metric(labels, value)
        yield running
        yield _histogram("goatherd_run_seconds", "How long attempts took", readings.run_seconds)
        yield _histogram("goatherd_wait_seconds", "How long jobs waited for a worker", readings.wait_seconds)
        yield _counter("goatherd_calls", "Calls that ended, by outcome", ended, readings.calls)
        yield _histogram("goatherd_call_seconds", "How long callers waited", readings.call_seconds)
        yield _counter("goatherd_answers", "Calls at this worker, by outcome", ("queue", "outcome"), readings.answers)
        strays = {(why,): count for why, count in readings.strays.items()}
        yield _counter("goatherd_stray_replies", "Answers for which nobody waited", ("why",), strays)
        lost = {(why,): count for why, count in readings.events_lost.items()}
        yield _counter("goatherd_events_lost", "Events of tracked jobs that could not be kept", ("why",), lost)
        yield from _listeners(readings.listeners)
        drift = GaugeMetricFamily("goatherd_topology_drift", "What the broker has otherwise", labels=("change",))
        for change, count in readings.drift.items():
            drift.add_metric((change,), count)
        yield drift


def _listeners(counts: Mapping[str, ListenerCount]) -> Iterable[Metric]:
    gauges = {
        "wanted": "Listeners that data wants here",
        "running": "Listeners that consume",
        "unhealthy": "Listeners that should consume and do not",
        "source_failing": "1 while it is not known what is wanted",
    }
    for name, text in gauges.items():
        family = GaugeMetricFamily(f"goatherd_listeners_{name}", text, labels=("pattern",))
        for pattern, count in counts.items():
            family.add_metric((pattern,), float(getattr(count, name)))
        yield family
    restarts = {(pattern,): count.restarts for pattern, count in counts.items()}
    yield _counter("goatherd_listener_restarts", "Listeners started again after they had run", ("pattern",), restarts)


def _counter(name: str, text: str, labels: tuple[str, ...], counts: Mapping[Labels, int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for values, count in counts.items():
        family.add_metric(values, count)
    return family


def _histogram(name: str, text: str, spreads: Mapping[QueueTask, Spread]) -> Metric:
    family = HistogramMetricFamily(name, text, labels=("queue", "task"))
    for values, spread in spreads.items():
        family.add_metric(values, buckets=list(_cumulative(spread)), sum_value=spread.total)
    return family


def _cumulative(spread: Spread) -> Iterator[tuple[str, float]]:
    total = 0
    for bound, count in zip((*BOUNDS, float("inf")), spread.classes, strict=True):
        total += count
        yield ("+Inf" if bound == float("inf") else str(bound)), total
