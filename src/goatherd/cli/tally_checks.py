"""What `goatherd doctor` says about tallies."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well
from goatherd.cli.durations import spoken
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd


async def tally_checks(app: Goatherd) -> AsyncIterator[Check]:
    """What waits in each tally, and whether somebody flushes it; nothing for an app without tallies."""
    for name, tally in app.tallies.items():
        keys, total = await (await app.session().recurring.tallies()).waiting(name)
        waiting = f"{name!r} has {total:,} for {counted(keys, 'key')}"
        flush = tally.flush_of()
        if flush is None:
            mend = "Declare the task that gets its totals with @tally.flush(every=...), in this program or another."
            yield warning("tally", f"{waiting}, and no task of this program flushes it", mend)
        else:
            yield well("tally", f"{waiting}, flushed every {spoken(flush.every)} into {flush.task.name}")
