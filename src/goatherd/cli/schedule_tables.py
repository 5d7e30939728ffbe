"""Schedules as tables: how they stand, and when they are due."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from rich.table import Table
from rich.text import Text

from goatherd.cli.durations import spoken
from goatherd.cli.output import Failed
from goatherd.cli.redaction import printable
from goatherd.cli.tables import plain_table
from goatherd.desk.schedule_facts import firing_facts
from goatherd.desk.schedule_looks import Coming, ScheduleLook
from goatherd.model.schedule import Firing
from goatherd.model.zone import zone_of

_COLOURS = {"done": "green", "failed": "red", "cancelled": "yellow", "missed": "yellow", "skipped": "yellow"}
_NONE = Text("-", "dim")


def schedule_table(schedules: Sequence[ScheduleLook], now: float) -> Table:
    """One line for each schedule."""
    table = plain_table()
    table.add_column("schedule", overflow="fold", min_width=8)
    table.add_column("when")
    table.add_column("origin", no_wrap=True)
    table.add_column("next", no_wrap=True)
    table.add_column("last", no_wrap=True)
    for name in ("took", "open", "waiting"):
        table.add_column(name, justify="right", no_wrap=True)
    for schedule in schedules:
        state = schedule.state
        table.add_row(
            Text(printable(schedule.name)),
            Text(printable(schedule.when)),
            Text(schedule.origin, "yellow" if schedule.origin == "gone" else ""),
            _next(schedule, now),
            _NONE if state is None or state.last is None else _last(state.last, now),
            _took(None if state is None else state.last_end),
            "0" if state is None else f"{state.open:,}",
            "0" if state is None else f"{state.waiting:,}",
        )
    return table


def coming_table(found: Sequence[tuple[ScheduleLook, Coming]], now: float) -> Table:
    """One line for each tick to come, in order."""
    table = plain_table()
    table.add_column("schedule", overflow="fold", min_width=8)
    table.add_column("UTC", no_wrap=True)
    table.add_column("there", no_wrap=True)
    table.add_column("zone", no_wrap=True)
    table.add_column("in", justify="right", no_wrap=True)
    for schedule, coming in found:
        zone = zone_info(schedule.zone)
        table.add_row(
            Text(printable(schedule.name)),
            clock(coming.tick, UTC),
            clock(coming.tick, zone),
            Text(f"{schedule.zone} {datetime.fromtimestamp(coming.tick, zone):%z}"),
            spoken(max(0.0, coming.due - now)),
        )
    return table


def clock(moment: float, zone: tzinfo) -> str:
    """A time as a clock there shows it; parts of a second only where there are some."""
    shown = f"{datetime.fromtimestamp(moment, zone):%Y-%m-%d %H:%M:%S.%f}"
    return shown.rstrip("0").removesuffix(".")


def zone_info(name: str) -> tzinfo:
    """The zone of that name; UTC is known without a database of zones. Raises Failed."""
    try:
        zone_of(name)
    except ValueError as error:
        raise Failed(f"The times of zone {name!r} cannot be shown: {error}") from error
    return UTC if name == "UTC" else ZoneInfo(name)


def _next(schedule: ScheduleLook, now: float) -> Text:
    if schedule.paused:
        return Text("paused", "yellow")
    at = schedule.next_at(now)
    if at is not None:
        soon = f"in {spoken(at - now)}" if at > now else "now"
        return Text(f"{soon} ({clock(int(at), zone_info(schedule.zone))})")
    if schedule.origin == "gone":
        return _NONE
    if not schedule.after_end:
        return Text("never", "dim")
    return Text("after the end" if schedule.state is not None else "at once")


def _last(firing: Firing, now: float) -> Text:
    at = firing.ended or firing.begun or firing.fired
    text = Text(firing.state, _COLOURS.get(firing.state, ""))
    more = f", {firing.missed:,} more missed" if firing.missed else ""
    return text.append(f" {spoken(max(0.0, now - at))} ago{more}", "")


def _took(ended: Firing | None) -> Text | str:
    seconds = None if ended is None else firing_facts(ended).lasted
    return _NONE if seconds is None else spoken(seconds)
