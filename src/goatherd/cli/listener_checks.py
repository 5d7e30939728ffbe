"""What `goatherd doctor` says about listeners."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Listeners that are looked for, and those that are named.
MOST_SEEN, SHOWN = 1000, 3


async def listener_checks(app: Goatherd, target: str) -> AsyncIterator[Check]:
    """Those that should take jobs and do not; nothing for an app without listeners."""
    if not app.listener_book.listened():
        return
    ailing = await (await app.session().recurring.listeners()).find(unhealthy=True, limit=MOST_SEEN)
    if ailing:
        named = ", ".join(f"{row.queue} ({row.standing.why or row.standing.condition})" for row in ailing[:SHOWN])
        found = f"{counted(len(ailing), 'listener')} not well: {named}{'…' if ailing[SHOWN:] else ''}"
        mend = f"See `goatherd listeners list {target} --unhealthy`, then `goatherd listeners restart`."
        yield warning("listeners", found, mend)
