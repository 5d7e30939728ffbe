"""What of an overview somebody should look at, the worst first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from goatherd.desk.overview import OverviewFacts
from goatherd.web.dashboard.wording import number, seconds

#: Names that are told before the rest is only counted.
MOST_NAMES = 3


@dataclass(frozen=True)
class Attention:
    """One thing, and where to see more of it."""

    tone: Literal["bad", "warn", "held"]
    words: str
    path: str


def attention(facts: OverviewFacts, lag: float) -> list[Attention]:
    """All of it; `lag` is for how many seconds a job may wait, 0 for ever."""
    order = ("bad", "warn", "held")
    found = [*_stores(facts), *_queues(facts, lag), *_work(facts)]
    return sorted(found, key=lambda each: order.index(each.tone))


def _stores(facts: OverviewFacts) -> Iterator[Attention]:
    for store in facts.stores:
        if store.state != "up":
            why = "; ".join(store.reasons)
            which = "The broker" if store.port == "broker" else f"The store of {store.port}"
            yield Attention("bad", f"{which} is {store.state}" + (f": {why}" if why else "."), "/workers")
    for reason in facts.reasons:
        yield Attention("warn", reason, "/workers")
    for trouble in facts.troubles:
        yield Attention("bad", f"Nothing is known of the {trouble.part}: {trouble.why}", "")
    for process in facts.unready:
        why = "; ".join(process.reasons) or "it does not say why"
        yield Attention(
            "bad", f"{', '.join(process.roles)} {process.host}:{process.pid} is not ready: {why}", "/workers"
        )


def _queues(facts: OverviewFacts, lag: float) -> Iterator[Attention]:
    if facts.abandoned_queues:
        yield Attention("bad", f"Jobs wait and no worker takes them: {_names(facts.abandoned_queues)}", "/queues")
    if lag and facts.oldest_age is not None and facts.oldest_age > lag:
        yield Attention("warn", f"A job has waited for {seconds(facts.oldest_age)}", "/queues")
    if facts.paused_queues:
        yield Attention("held", f"Paused: {_names(facts.paused_queues)}", "/queues")


def _work(facts: OverviewFacts) -> Iterator[Attention]:
    if facts.dead_letters:
        yield Attention("bad", f"{_count(facts.dead_letters, 'dead letter')} to replay or discard", "/dead")
    if facts.held_lanes:
        waits = "waits" if facts.held_lanes == 1 else "wait"
        yield Attention("bad", f"{_count(facts.held_lanes, 'lane')} {waits} for somebody", "/lanes")
    if facts.failed_schedules:
        yield Attention("bad", f"The last run failed of {_names(facts.failed_schedules)}", "/schedules")
    if facts.late_schedules:
        yield Attention("warn", f"Not fired in time: {_names(facts.late_schedules)}", "/schedules")
    if facts.unhealthy_listeners:
        yield Attention("warn", f"{_count(facts.unhealthy_listeners, 'listener')} in trouble", "/listeners")


def _names(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {number(rest)} more" if rest > 0 else "")


def _count(many: int, what: str) -> str:
    return f"{number(many)} {what}{'' if many == 1 else 's'}"
