"""Open the schedules of an app, and find those that are meant."""

from __future__ import annotations

import difflib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Failed

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.schedule_facts import ScheduleFacts
    from goatherd.ports.schedules import ScheduleOperations

name_argument = click.argument("name")


@asynccontextmanager
async def opened_schedules(app: Goatherd) -> AsyncIterator[ScheduleOperations]:
    """The records of an app's schedules, without its broker, until the block ends; raises Unavailable."""
    from goatherd.ports.clock import SystemClock
    from goatherd.wiring.recurring import open_schedules

    opened = await open_schedules(app.settings, SystemClock())
    try:
        yield opened.operations
    finally:
        await opened.schedules.close()


async def read_schedules(app: Goatherd) -> list[ScheduleFacts]:
    """All that are on record or declared, by name; raises Unavailable, SettingsError or DefinitionError."""
    async with opened_schedules(app) as operations:
        return await facts_of(app, operations)


async def facts_of(app: Goatherd, operations: ScheduleOperations) -> list[ScheduleFacts]:
    """The same by records that are open."""
    from goatherd.cli.schedule_facts import ScheduleFacts

    declared = {each.name: each.rule for each in app.declared_schedules()}
    recorded = {state.name: state for state in await operations.list()}
    found = []
    for name in sorted({*declared, *recorded}):
        state = recorded.get(name)
        rule = declared[name] if state is None else state.rule
        found.append(ScheduleFacts(name=name, rule=rule, state=state))
    return found


def unknown_schedule(name: str, known: Iterable[str], *, declared: bool) -> Failed:
    """What to say of one that is not there, or not yet on record."""
    if declared:
        return Failed(
            f"The schedule {name!r} is not on record yet, so nothing was changed. It is once a scheduler has run: "
            f"`goatherd scheduler`, `goatherd dev`."
        )
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return Failed(f"There is no schedule {name!r}. Did you mean {near[0]!r}?")
    there = f"There are {', '.join(names)}." if names else "There are none: declare one with app.cron or app.every."
    return Failed(f"There is no schedule {name!r}. {there}")


async def not_found(app: Goatherd, operations: ScheduleOperations, name: str) -> Failed:
    """The same, for one that an operation did not find."""
    known = {*app.ticks, *(state.name for state in await operations.list())}
    return unknown_schedule(name, known, declared=name in app.ticks)
