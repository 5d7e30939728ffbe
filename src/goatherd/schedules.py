"""Schedules that are made and changed while the app runs; kept in the records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goatherd.errors import DefinitionError
from goatherd.model.ids import new_id
from goatherd.model.job import Job
from goatherd.model.schedule import Cron, Rate, ScheduleRule
from goatherd.model.scheduled_job import kept
from goatherd.model.seconds import Seconds, declared_span
from goatherd.model.tick_pipeline import check_schedule_name
from goatherd.model.timing import check_rule
from goatherd.scheduling import fire_now

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.ports.schedules import ScheduleOperations


class Schedules:
    """What `app.schedules` is; everything is durable when it returns."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app

    async def set(
        self, name: str, job: Job[Any], *, cron: str | None = None, every: Seconds | None = None, tz: str = "UTC"
    ) -> None:
        """Have a job sent at the times of a cron expression, or every so many seconds; one of that name is changed.

        Under the name of a scheduled task, with a job of that task, it changes when that one is due.
        """
        if (cron is None) == (every is None):
            raise DefinitionError(f"The schedule {name!r} needs cron= or every=, one of the two.")
        timing = Cron(cron, tz) if cron is not None else Rate(declared_span("every", every or 0))
        rule = ScheduleRule(timing=timing, overlap="allow")
        session = self._app.session()
        tick = self._app.ticks.get(name)
        own = tick is not None and job.definition.name == name
        if tick is not None and own:
            rule = ScheduleRule(
                timing=timing,
                overlap=tick.rule.overlap,
                misfire=tick.rule.misfire,
                jitter=tick.rule.jitter,
                min_spacing=tick.rule.min_spacing,
            )
        elif tick is not None:
            raise DefinitionError(
                f"{name!r} is the schedule of a task of this app, so it cannot send a job of {job.definition.name!r}. "
                f"Choose another name."
            )
        check_rule(name, rule)
        check_schedule_name(name)
        content = None if own else kept(name, job)
        await (await self._operations()).set(name, rule, content)
        session.tick_soon()

    async def remove(self, name: str) -> None:
        """Take back what was set; a schedule of the program itself is as it was declared again."""
        _found(name, await (await self._operations()).remove(name))
        self._app.session().tick_soon()

    async def pause(self, name: str) -> None:
        """Let it fire no more for now."""
        _found(name, await (await self._operations()).pause(name))

    async def resume(self, name: str) -> None:
        """Let it fire again, from now on."""
        _found(name, await (await self._operations()).resume(name))
        self._app.session().tick_soon()

    async def trigger(self, name: str) -> str:
        """Fire it now, once; gives the id of the run, or of the job that is sent.

        Where runs must not overlap and one is worked on, it waits for that one's end, and its run is not known before.
        """
        firing = await (await self._operations()).trigger(name, f"{name}!{new_id()}")
        _found(name, firing is not None)
        assert firing is not None
        if firing.state == "due":
            await fire_now(self._app, firing)
        return firing.id

    async def _operations(self) -> ScheduleOperations:
        return (await self._app.session().recurring.schedules()).operations


def _found(name: str, found: bool) -> None:
    if not found:
        raise DefinitionError(
            f"There is no schedule {name!r}, or nothing was set for it. `goatherd schedules list` shows those there "
            f"are; one of the program itself is known once a scheduler has run."
        )
