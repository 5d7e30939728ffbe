"""What `goatherd doctor` says about schedules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
#: Names that are told.
SHOWN = 3


async def schedule_checks(app: Goatherd, target: str) -> AsyncIterator[Check]:
    """Whether somebody fires them, and which are paused; nothing for an app without schedules."""
    if not app.ticks:
        return
    states = await (await app.session().recurring.schedules()).operations.list()
    known = {state.name: state for state in states}
    unheard = [name for name in sorted(app.ticks) if name not in known or known[name].origin == "gone"]
    if unheard:
        found = (
            f"no scheduler that lives has {_named(unheard)}, so nobody fires {'it' if len(unheard) == 1 else 'them'}"
        )
        yield warning("schedules", found, f"Run `goatherd scheduler {target}`, or `goatherd run {target}`.")
    else:
        yield well("schedules", f"{counted(len(app.ticks), 'schedule')}, and a scheduler that fires")
    if paused := [state.name for state in states if state.paused]:
        mend = f"If that is over: goatherd schedules resume {target} NAME"
        yield warning("paused schedules", _named(paused), mend)


def _named(names: list[str]) -> str:
    return f"{', '.join(names[:SHOWN])}{'…' if names[SHOWN:] else ''}"
