"""What `goatherd doctor` says about events of tracked jobs, and about their history."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well
from goatherd.cli.output import without_password

if TYPE_CHECKING:
    from goatherd.app import Goatherd
_LOCAL = "which other machines do not see, but the broker is on the network"


async def event_checks(app: Goatherd) -> AsyncIterator[Check]:
    """Where they are, and whether both can be used; nothing for an app that, as far as one can see, tracks no jobs."""
    from goatherd.wiring import open_events, open_history

    settings = app.settings
    if not any(task.tracked for task in app.definitions()) and not (settings.events_url or settings.records_url):
        return
    await (await open_events(settings, app.clock)).close()
    where = f"events of tracked jobs are in {without_password(settings.event_store)}"
    if settings.event_store_is_local:
        yield warning("events", f"{where}, {_LOCAL}", "Set GOATHERD_EVENTS_URL to redis://…")
    else:
        yield well("events", where)
    await (await open_history(settings, app.clock)).close()
    where = f"the history that routers write is in {without_password(settings.record_store)}"
    if settings.record_store_is_local:
        yield warning("history", f"{where}, {_LOCAL}", "Set GOATHERD_RECORDS_URL to postgresql://…")
    else:
        yield well("history", where)
