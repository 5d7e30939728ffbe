"""The metrics of a router."""

from collections.abc import Callable

from goatherd.model.metric_family import Family, Numbers
from goatherd.model.readings import Readings


def _counter(name: str, text: str) -> Family:
    return Family(name=f"goatherd_router_{name}", kind="counter", text=text, numbers=_value(name))


def _gauge(name: str, field: str, text: str) -> Family:
    return Family(name=f"goatherd_router_{name}", kind="gauge", text=text, numbers=_value(field))


def _value(field: str) -> Callable[[Readings], Numbers]:
    def read(readings: Readings) -> Numbers:
        return [] if readings.router is None else [((), float(getattr(readings.router, field)))]

    return read


def _trimmed(readings: Readings) -> Numbers:
    now = readings.router
    return [] if now is None else [(("limit",), now.dropped), (("vanished",), now.vanished)]


ROUTER_FAMILIES = (
    _counter("noted", "Events that went into the history of jobs"),
    _counter("relayed", "Events that watchers on the live server were told of"),
    _counter("unrelayed", "Events that they were not told of, because it was away"),
    _counter("reclaimed", "Events that a router had taken and not finished"),
    _counter("unreadable", "Events that could not be read"),
    Family(
        name="goatherd_router_trimmed_unread",
        kind="counter",
        text="Events dropped before they were routed",
        labels=("why",),
        numbers=_trimmed,
    ),
    _gauge("lag_events", "waiting", "Events that no router has taken"),
    _gauge("lag_seconds", "behind", "The age of the oldest of them"),
    _gauge("unsettled_events", "unsettled", "Events taken, not finished"),
)
