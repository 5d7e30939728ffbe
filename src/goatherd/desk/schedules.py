"""Schedules: when each is due, how it went last, and what operators may do to them."""

from __future__ import annotations

import difflib
from datetime import datetime
from typing import TYPE_CHECKING

from goatherd.desk.errors import NotNow, NotThere
from goatherd.desk.glance import Glance, glances_of
from goatherd.desk.schedule_facts import FiringFacts, ScheduleFacts, firing_facts
from goatherd.desk.schedule_looks import ScheduleLook, look_at_schedules
from goatherd.errors import GoatherdError
from goatherd.model.envelope import moment
from goatherd.model.ids import new_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from goatherd.app import Goatherd
    from goatherd.model.schedule import Firing
    from goatherd.ports.schedules import ScheduleOperations

#: Seconds for which a look is good enough.
FRESH_FOR = 1.0
#: Times to come that one may ask for.
MOST_COMING = 1000


async def schedules(app: Goatherd, *, text: str = "", limit: int | None = None) -> list[ScheduleFacts]:
    """All that are on record or declared, by name; raises Unavailable, SettingsError or DefinitionError.

    With a text only those that have it in their name, and with a limit only the first.
    """
    now = app.session().clock.now()
    found = [look for look in await _looks(app).get() if text in look.name][:limit]
    return [look.facts(now, task=look.name if look.name in app.ticks else None) for look in found]


async def schedule(app: Goatherd, name: str) -> ScheduleFacts:
    """One of them; raises NotThere or Unavailable."""
    return (await _find(app, name)).facts(app.session().clock.now(), task=name if name in app.ticks else None)


async def history(app: Goatherd, name: str, limit: int = 50) -> list[FiringFacts]:
    """Its firings, newest first; raises NotThere or Unavailable."""
    operations = await operations_of(app)
    found = await operations.history(name, limit)
    if not found:
        await _find(app, name)
    return [firing_facts(firing) for firing in found]


async def coming(app: Goatherd, name: str, count: int = 10) -> list[datetime]:
    """When it is due next, by its rule; raises NotThere or Unavailable."""
    look = await _find(app, name)
    return [moment(each.due) for each in look.coming(app.session().clock.now(), min(count, MOST_COMING))]


async def trigger(app: Goatherd, name: str) -> FiringFacts:
    """Fire it now, once, paused or not; raises NotThere, NotNow or Unavailable."""
    firing = await fire(app, await operations_of(app), name)
    _looks(app).forget()
    app.session().tick_soon()
    return firing_facts(firing)


async def pause(app: Goatherd, name: str) -> None:
    """Let it fire no more for now; raises NotThere, NotNow or Unavailable."""
    await set_paused(app, await operations_of(app), name, paused=True)
    _looks(app).forget()


async def resume(app: Goatherd, name: str) -> None:
    """Let it fire again, from now on; raises NotThere, NotNow or Unavailable."""
    await set_paused(app, await operations_of(app), name, paused=False)
    _looks(app).forget()
    app.session().tick_soon()


async def operations_of(app: Goatherd) -> ScheduleOperations:
    """The records of an open app's schedules; raises Unavailable."""
    return (await app.session().recurring.schedules()).operations


async def fire(app: Goatherd, operations: ScheduleOperations, name: str) -> Firing:
    """Fire it by records that are open; raises NotThere, NotNow or Unavailable."""
    firing = await operations.trigger(name, f"{name}!{new_id()}")
    if firing is None:
        raise await _not_found(app, operations, name)
    return firing


async def set_paused(app: Goatherd, operations: ScheduleOperations, name: str, *, paused: bool) -> None:
    """Pause or resume it by records that are open; raises NotThere, NotNow or Unavailable."""
    if not await (operations.pause(name) if paused else operations.resume(name)):
        raise await _not_found(app, operations, name)


def unknown_schedule(name: str, known: Iterable[str]) -> NotThere:
    """What to say of one that is not there."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return NotThere("schedule", name, f"Did you mean {near[0]!r}?")
    there = f"There are {', '.join(names)}." if names else "There are none: declare one with app.cron or app.every."
    return NotThere("schedule", name, there)


def _looks(app: Goatherd) -> Glance[list[ScheduleLook]]:
    """There may be thousands, and many who look."""

    async def look() -> list[ScheduleLook]:
        return await look_at_schedules(app, await operations_of(app))

    return glances_of(app).of("schedules", look, FRESH_FOR)


async def _find(app: Goatherd, name: str) -> ScheduleLook:
    found = {look.name: look for look in await _looks(app).get()}
    if name not in found:
        raise unknown_schedule(name, found)
    return found[name]


async def _not_found(app: Goatherd, operations: ScheduleOperations, name: str) -> GoatherdError:
    """Why an operation did not find it."""
    if name in app.ticks:
        return NotNow(
            f"The schedule {name!r} is not on record yet, so nothing was changed. It is once a scheduler has run: "
            f"`goatherd scheduler`, `goatherd dev`."
        )
    return unknown_schedule(name, {*app.ticks, *(state.name for state in await operations.list())})
