"""What `goatherd top` shows, as lines that fit the terminal; nothing is asked here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from rich.cells import set_cell_size
from rich.text import Text

from goatherd.cli.durations import spoken
from goatherd.cli.redaction import printable
from goatherd.cli.top_numbers import cut, rate, short
from goatherd.cli.wording import counted
from goatherd.model.envelope import moment

if TYPE_CHECKING:
    from goatherd.cli.top_parts import QueueLook, TopLook

Order: TypeAlias = Literal["name", "ready", "oldest", "growing"]
ORDERS: tuple[Order, ...] = get_args(Order)

#: Schedules, listeners and workers that are named.
SHOWN = 5
#: The least that is left for the name of a queue.
NARROWEST = 12

_Cell: TypeAlias = Callable[["QueueLook"], str]
#: Heading, width and what stands there; those of the flow only where the broker counts it.
_COUNTS: tuple[tuple[str, int, _Cell], ...] = (
    ("ready", 7, lambda each: short(each.state.ready)),
    ("±/s", 7, lambda each: rate(each.growing, signed=True)),
)
_FLOWS: tuple[tuple[str, int, _Cell], ...] = (
    ("in/s", 6, lambda each: rate(each.flow.arriving)),
    ("out/s", 6, lambda each: rate(each.flow.leaving)),
)
_REST: tuple[tuple[str, int, _Cell], ...] = (
    ("running", 8, lambda each: short(each.state.running)),
    ("delayed", 8, lambda each: short(each.state.delayed)),
    ("takers", 7, lambda each: short(each.state.consumers)),
    ("oldest", 7, lambda each: "-" if each.state.oldest_age is None else spoken(each.state.oldest_age)),
    ("dead", 6, lambda each: short(each.state.dead)),
)
#: What is left out of a narrow terminal, one after the other.
_LEFT_OUT = ("delayed", "running", "out/s", "in/s", "±/s", "dead", "takers", "oldest")
_KEYS: Mapping[Order, Callable[[QueueLook], tuple[float, str]]] = {
    "name": lambda each: (0.0, each.state.name),
    "ready": lambda each: (-each.state.ready, each.state.name),
    "oldest": lambda each: (-(each.state.oldest_age or 0.0), each.state.name),
    "growing": lambda each: (-(each.growing or 0.0), each.state.name),
}


def picture(look: TopLook, *, width: int, height: int, order: Order = "name", footer: str = "") -> list[Text]:
    """At most so many lines; if queues do not fit in, the last are left out, and that is said.

    Tables are so wide at most, unless names have no room; a reason may be longer, and is cut by the terminal.
    """
    head = [_head(look, width), *_troubles(look)]
    tail = [*_workers(look), *_schedules(look, width), *_listeners(look), *_lanes(look)]
    if footer:
        tail += [Text(), Text(footer, "dim")]
    lines = [*head, *_queues(look, order, width, max(3, height - len(head) - len(tail))), *tail]
    for line in lines:
        line.rstrip()
    return lines if len(lines) <= height else [*lines[: height - 1], lines[-1]]


def _head(look: TopLook, width: int) -> Text:
    time = f"{moment(look.at).astimezone():%H:%M:%S}"
    broker = cut(printable(look.broker), width - len(look.app) - len(time) - 4)
    return Text.assemble((look.app, "bold"), f"  {broker}  {time}")


def _troubles(look: TopLook) -> Iterator[Text]:
    for name, (age, why) in look.troubles.items():
        since = "not seen yet" if age is None else f"as of {spoken(age)} ago"
        yield Text(f"! {name} {since}: {printable(why)}", "red")


def _queues(look: TopLook, order: Order, width: int, room: int) -> Iterator[Text]:
    yield Text()
    if look.queues is None:
        yield Text("queues: asking …" if "queues" not in look.troubles else "queues: nothing is known", "dim")
        return
    columns = _fitting(width, [*_COUNTS, *(_FLOWS if look.counts_flows else ()), *_REST])
    named = max(NARROWEST, width - sum(each[1] for each in columns))
    yield Text(f"{'queue':<{named}}" + "".join(f"{heading:>{size}}" for heading, size, _ in columns), "bold")
    chosen = sorted(look.queues, key=_KEYS[order])
    # A line is for the heading, one for the gap above it.
    fitting = chosen if len(chosen) <= room - 2 else chosen[: max(0, room - 3)]
    for each in fitting:
        cells = "".join(f"{cell(each):>{size}}" for _, size, cell in columns)
        yield Text(f"{_name(each, named)}{cells}", _colour(each))
    if left := len(chosen) - len(fitting):
        yield Text(f"… and {counted(left, 'more queue')}", "dim")


def _fitting(width: int, columns: list[tuple[str, int, _Cell]]) -> list[tuple[str, int, _Cell]]:
    """Those for which there is room beside a name."""
    for least in _LEFT_OUT:
        if width - sum(size for _, size, _ in columns) >= NARROWEST:
            break
        columns = [each for each in columns if each[0] != least]
    return columns


def _name(each: QueueLook, width: int) -> str:
    """So many characters; where no colour tells it, these words do."""
    told = " (replaced)" if each.state.replaced else " (paused)" if each.state.paused else ""
    return set_cell_size(cut(printable(each.state.name), width - 1 - len(told)) + told, width)


def _colour(each: QueueLook) -> str:
    state = each.state
    if state.ready and not state.consumers and not state.paused:
        return "red"
    if state.paused or state.replaced or state.dead:
        return "yellow"
    return "" if state.ready or state.running else "dim"


def _workers(look: TopLook) -> Iterator[Text]:
    if look.workers:
        told = [f"{each.host}:{each.pid}" + (f" silent {spoken(each.silent)}" if each.silent > 5 else "")
                for each in look.workers]  # fmt: skip
        yield Text()
        yield Text(f"{counted(len(told), 'worker')}: {_named(told)}")


def _schedules(look: TopLook, width: int) -> Iterator[Text]:
    if not look.schedules:
        return
    coming = sorted(((each.next_at(look.at), each) for each in look.schedules), key=lambda pair: pair[0] or 1e12)
    yield Text()
    named = min(32, max(NARROWEST, width - 24))
    yield Text(f"{'schedule':<{named}}{'next':>12}  {'last':<10}", "bold")
    for due, each in coming[:SHOWN]:
        when = "paused" if each.paused else "-" if due is None else f"in {spoken(max(0.0, due - look.at))}"
        state = None if each.state is None else each.state.last_end
        last = "" if state is None else state.state
        name = set_cell_size(cut(printable(each.name), named - 1), named)
        yield Text(f"{name}{when:>12}  {last:<10}", "red" if last == "failed" else "")
    if coming[SHOWN:]:
        yield Text(f"… and {counted(len(coming) - SHOWN, 'more schedule')}", "dim")


def _listeners(look: TopLook) -> Iterator[Text]:
    if look.listeners is None:
        return
    ailing = [row for row in look.listeners if not row.standing.healthy]
    yield Text()
    yield Text(f"{counted(len(look.listeners), 'listener')}, {len(ailing):,} of them not well", "red" if ailing else "")
    for row in ailing[:SHOWN]:
        yield Text(f"  {printable(row.queue)} {row.standing.condition}: {printable(row.standing.why)}", "red")


def _lanes(look: TopLook) -> Iterator[Text]:
    waiting = [each for each in look.lane_waits or () if each.lanes]
    if waiting or look.held_lanes:
        yield Text()
    for each in sorted(waiting, key=lambda wait: -wait.oldest)[:SHOWN]:
        lanes = f"{counted(each.lanes, 'lane')} ready"
        yield Text(f"{printable(each.queue)}: {lanes}, the oldest for {spoken(each.oldest)}")
    if waiting[SHOWN:]:
        yield Text(f"… and lanes of {counted(len(waiting) - SHOWN, 'more queue')}", "dim")
    if look.held_lanes:
        yield Text(f"{counted(look.held_lanes, 'lane')} held by a job that failed for good: goatherd lanes list", "red")


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN:,} more" if names[SHOWN:] else "")
