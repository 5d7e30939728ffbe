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
from goatherd.model.metric_family import Family
from goatherd.model.readings import BOUNDS, Readings
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


def _numbers(family: Family, read: Callable[[], Readings]) -> _Callback:
    def callback(_options: CallbackOptions) -> Iterable[Observation]:
        return [Observation(value, _attributes(family, labels)) for labels, value in family.numbers(read())]

    return callback


def _histogram(meter: Meter, family: Family, read: Callable[[], Readings]) -> None:
    def buckets(_options: CallbackOptions) -> Iterator[Observation]:
        for labels, spread in family.spreads(read()):
            for bound, count in zip(_BOUNDS, accumulate(spread.classes), strict=True):
                yield Observation(count, _attributes(family, labels) | {"le": bound})

    def sums(_options: CallbackOptions) -> Iterable[Observation]:
        return [Observation(spread.total, _attributes(family, labels)) for labels, spread in family.spreads(read())]

    def counts(_options: CallbackOptions) -> Iterable[Observation]:
        return [
            Observation(sum(spread.classes), _attributes(family, labels)) for labels, spread in family.spreads(read())
        ]

    for part, callback in (("bucket", buckets), ("sum", sums), ("count", counts)):
        meter.create_observable_up_down_counter(f"{family.name}_{part}", [callback], description=family.text)


def _attributes(family: Family, labels: Sequence[str]) -> dict[str, str]:
    return dict(zip(family.labels, labels, strict=True))
