"""The counts of a process as instruments of OpenTelemetry, which asks for them whenever it exports.

Names are as in Prometheus, without `_total`, which its exporters put behind counters. There is no histogram that can be
observed, so each is three instruments, `_bucket` with the label `le`, `_sum` and `_count`, as Prometheus has them. They
are no counters here, or exporters would rename them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from opentelemetry import metrics
from opentelemetry.metrics import CallbackOptions, Meter, Observation

from goatherd.model.families import FAMILIES
from goatherd.model.gateway_readings import GatewayReadings
from goatherd.model.metric_family import Family
from goatherd.model.readings import BOUNDS, Readings, Spread
from goatherd.model.router_families import ROUTER_FAMILIES

#: Whose instruments they are.
SCOPE = "goatherd"

_Callback = Callable[[CallbackOptions], Iterable[Observation]]
_BOUNDS = (*map(str, BOUNDS), "+Inf")


def observe(app: str, read: Callable[[], Readings]) -> None:
    """Make the instruments; `read` is called on threads of exporters."""
    # Two apps in one process have the same instruments, and are told apart by this.
    meter = metrics.get_meter(SCOPE, attributes={"app": app})
    for family in (*FAMILIES, *ROUTER_FAMILIES):
        match family.kind:
            case "counter":
                meter.create_observable_counter(family.name, [_numbers(family, read)], description=family.text)
            case "gauge":
                meter.create_observable_gauge(family.name, [_numbers(family, read)], description=family.text)
            case "histogram":
                _histogram(meter, family, read)


def observe_gateway(read: Callable[[], GatewayReadings]) -> None:
    """The same for a gateway, which may serve several apps."""
    meter = metrics.get_meter(SCOPE)

    def alone(value: Callable[[GatewayReadings], int]) -> list[_Callback]:
        return [lambda _options: [Observation(value(read()))]]

    def resyncs(_options: CallbackOptions) -> Iterable[Observation]:
        return [Observation(count, {"reason": why}) for why, count in read().resyncs.items()]

    gauge, counter = meter.create_observable_gauge, meter.create_observable_counter
    gauge("sse_gateway_connections_active", alone(lambda now: now.connections))
    gauge("sse_gateway_active_jobs", alone(lambda now: now.jobs))
    counter("sse_gateway_events_distributed", alone(lambda now: now.distributed))
    counter("sse_gateway_queue_dropped", alone(lambda now: now.dropped))
    counter("sse_gateway_resync", [resyncs])
    _spread_out(meter, "sse_gateway_ttfb_seconds", "", lambda: [({}, read().first_bytes)])


def _numbers(family: Family, read: Callable[[], Readings]) -> _Callback:
    def callback(_options: CallbackOptions) -> Iterable[Observation]:
        return [Observation(value, _attributes(family, labels)) for labels, value in family.numbers(read())]

    return callback


def _histogram(meter: Meter, family: Family, read: Callable[[], Readings]) -> None:
    def spreads() -> Iterable[tuple[dict[str, str], Spread]]:
        return [(_attributes(family, labels), spread) for labels, spread in family.spreads(read())]

    _spread_out(meter, family.name, family.text, spreads)


def _spread_out(
    meter: Meter, name: str, text: str, spreads: Callable[[], Iterable[tuple[dict[str, str], Spread]]]
) -> None:
    def buckets(_options: CallbackOptions) -> Iterator[Observation]:
        for attributes, spread in spreads():
            for bound, count in zip(_BOUNDS, accumulate(spread.classes), strict=True):
                yield Observation(count, attributes | {"le": bound})

    def sums(_options: CallbackOptions) -> Iterable[Observation]:
        return [Observation(spread.total, attributes) for attributes, spread in spreads()]

    def counts(_options: CallbackOptions) -> Iterable[Observation]:
        return [Observation(sum(spread.classes), attributes) for attributes, spread in spreads()]

    for part, callback in (("bucket", buckets), ("sum", sums), ("count", counts)):
        meter.create_observable_up_down_counter(f"{name}_{part}", [callback], description=text)


def _attributes(family: Family, labels: Sequence[str]) -> dict[str, str]:
    return dict(zip(family.labels, labels, strict=True))
