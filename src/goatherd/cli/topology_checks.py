"""What `goatherd doctor` says about the exchanges, queues, bindings and policies of the broker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from goatherd.cli.topology_access import look
from goatherd.cli.wording import counted
from goatherd.errors import SettingsError, Unavailable

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.checks import Check
    from goatherd.cli.topology_access import Looked

#: Differences that are told; the plan has all.
SHOWN = 3
#: Seconds that the look may take.
DEADLINE = 20.0
_REACH = "Enable the broker's management plugin, or set GOATHERD_MANAGEMENT_URL to where it is."


async def topology_checks(app: Goatherd, target: str) -> AsyncIterator[Check]:
    """Whether the broker is as the app wants it, as far as it tells; nothing for an app that uses none."""
    from goatherd.cli.checks import warning

    if not app.settings.broker_url.startswith(("amqp://", "amqps://")):
        return
    try:
        async with asyncio.timeout(DEADLINE):
            looked = await look(app)
    except TimeoutError:
        yield warning("topology", f"not compared: no answer within {DEADLINE:g} s", _REACH)
        return
    except (SettingsError, Unavailable) as error:
        yield warning("topology", f"not compared: {error}", _REACH)
        return
    yield _compared(looked, target)
    if looked.survey.unseen:
        yield warning("topology", f"not seen, and so not compared: {'; '.join(looked.survey.unseen)}", _REACH)


def _compared(looked: Looked, target: str) -> Check:
    from goatherd.cli.checks import warning, well
    from goatherd.cli.drift_words import told_change

    found = looked.differences
    if not found:
        wanted = looked.definition.blueprint
        number = f"{counted(len(wanted.exchanges), 'exchange')} and {counted(len(wanted.queues), 'queue')}"
        return well("topology", f"{number} are as the app wants them")
    told = [f"{told_change(each)} {each.name}" for each in found[:SHOWN]]
    rest = f" and {len(found) - SHOWN:,} more" if found[SHOWN:] else ""
    number = counted(len(found), "difference")
    return warning("topology", f"{number}: {', '.join(told)}{rest}", f"goatherd topology plan {target}")
