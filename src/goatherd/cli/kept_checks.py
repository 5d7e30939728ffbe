"""What `goatherd doctor` says about all that an open app keeps: each part for itself, so that none hides the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, wrong
from goatherd.cli.event_checks import event_checks
from goatherd.cli.lane_checks import lane_checks
from goatherd.cli.listener_checks import listener_checks
from goatherd.cli.run_checks import run_checks
from goatherd.cli.schedule_checks import schedule_checks
from goatherd.cli.tally_checks import tally_checks
from goatherd.errors import GoatherdError, SettingsError, TopologyMismatch

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Seconds that a store may take to be opened and to answer.
DEADLINE = 20.0


async def kept_checks(app: Goatherd, target: str) -> list[Check]:
    """Lanes, schedules, listeners, tallies, runs and events, all looked at in the same time."""
    parts: Mapping[str, AsyncIterator[Check]] = {
        "lanes": lane_checks(app, target),
        "schedules": schedule_checks(app, target),
        "listeners": listener_checks(app, target),
        "tallies": tally_checks(app),
        "runs": run_checks(app, target),
        "events": event_checks(app),
    }
    async with asyncio.TaskGroup() as group:
        looks = [
            group.create_task(_found(part, target), name=f"goatherd doctor {name}") for name, part in parts.items()
        ]
    return [check for look in looks for check in look.result()]


async def _found(part: AsyncIterator[Check], target: str) -> list[Check]:
    checks: list[Check] = []
    try:
        async with asyncio.timeout(DEADLINE):
            async for check in part:
                checks.append(check)
    except (TimeoutError, GoatherdError) as error:
        checks += failures(error, target)
    return checks


def failures(error: TimeoutError | GoatherdError, target: str) -> Iterator[Check]:
    """Why a store could not be looked at."""
    if isinstance(error, TimeoutError):
        yield wrong("store", f"no answer within {DEADLINE:g} s", "If a process that uses it hangs, end it.")
    elif isinstance(error, SettingsError):
        yield from (wrong("store", problem) for problem in error.problems)
    elif isinstance(error, TopologyMismatch):
        # The table that follows is in the plan, where it has more room.
        yield wrong("topology", str(error).partition("\n\n")[0].rstrip(":"), f"goatherd topology plan {target}")
    else:
        yield wrong("store", str(error))
