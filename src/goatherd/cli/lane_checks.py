"""What `goatherd doctor` says about lanes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well
from goatherd.cli.output import without_password
from goatherd.cli.wording import counted
from goatherd.model.lane import shown

if TYPE_CHECKING:
    from goatherd.app import Goatherd
#: Held lanes that are looked for.
MOST_HELD = 100


async def lane_checks(app: Goatherd, target: str) -> AsyncIterator[Check]:
    """Where keyed jobs wait, and whether some wait for a person; nothing for an app without keys."""
    if not any(task.lane is not None for task in app.definitions()):
        return
    settings = app.settings
    where = f"jobs with a key are in {without_password(settings.lane_store)}"
    if settings.lane_store_is_local:
        mend = "Set GOATHERD_LANES_URL to redis://… or postgresql://…, so that all machines share them."
        yield warning("lanes", f"{where}, which other machines do not see, but the broker is on the network", mend)
    else:
        yield well("lanes", where)
    held = await (await app.session().lanes()).operations.find(condition="held", limit=MOST_HELD)
    if held:
        names = ", ".join(shown(state.key) for state in held[:3])
        found = f"{counted(len(held), 'lane')} held by a job that failed for good: {names}{'…' if held[3:] else ''}"
        yield warning("held lanes", found, f"See `goatherd lanes list {target} --held`, then `lanes retry` or `skip`.")
