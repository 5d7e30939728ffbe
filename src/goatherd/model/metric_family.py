"""A metric: its name, what it tells, its labels, and where its values stand in the readings of a process."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from goatherd.model.readings import Readings, Spread

#: - `counter`: only grows while the process lives.
#: - `gauge`: how something stands now.
#: - `histogram`: how durations are spread over the classes of `model.readings.BOUNDS`.
Kind: TypeAlias = Literal["counter", "gauge", "histogram"]
Numbers: TypeAlias = Iterable[tuple[tuple[str, ...], float]]
Spreads: TypeAlias = Iterable[tuple[tuple[str, ...], Spread]]


@dataclass(frozen=True, kw_only=True)
class Family:
    """One metric, with all the values of its labels."""

    #: In Prometheus a counter has `_total` behind it.
    name: str
    kind: Kind
    text: str
    labels: tuple[str, ...] = ()
    #: The values of a counter or gauge.
    numbers: Callable[[Readings], Numbers] = lambda _readings: ()
    #: The values of a histogram.
    spreads: Callable[[Readings], Spreads] = lambda _readings: ()


def by_name(values: Mapping[str, float]) -> Numbers:
    """Values that have one label."""
    return [((name,), value) for name, value in values.items()]
