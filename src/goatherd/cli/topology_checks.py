"""What `goatherd doctor` says about the exchanges, queues, bindings and policies of the broker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well, wrong
from goatherd.cli.holding_checks import policy_checks
from goatherd.cli.topology_access import look
from goatherd.cli.wording import counted
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.dead_ends import dead_ends

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.topology_access import Looked

#: Differences that are told; the plan has all.
SHOWN = 3
#: Seconds that the look may take.
DEADLINE = 20.0
_REACH = "Enable the broker's management plugin, or set GOATHERD_MANAGEMENT_URL to where it is."
_LEAD = (
    "Make the exchange, a queue for them and a binding between the two (declare them with app.topology and run "
    "`goatherd topology apply`), or name another way in dead_letter=."
)


async def topology_checks(app: Goatherd, target: str) -> AsyncIterator[Check]:
    """Whether the broker is as the app wants it, as far as it tells; nothing for an app that uses none."""
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
    for check in (*_lost_letters(app, looked), *policy_checks(looked.survey, app.definitions())):
        yield check
    if looked.survey.unseen:
        yield warning("topology", f"not seen, and so not compared: {'; '.join(looked.survey.unseen)}", _REACH)


def _compared(looked: Looked, target: str) -> Check:
    from goatherd.desk.drift_words import told_change

    found = looked.differences
    if not found:
        wanted = looked.definition.blueprint
        number = f"{counted(len(wanted.exchanges), 'exchange')} and {counted(len(wanted.queues), 'queue')}"
        return well("topology", f"{number} are as the app wants them")
    told = [f"{told_change(each)} {each.name}" for each in found[:SHOWN]]
    rest = f" and {len(found) - SHOWN:,} more" if found[SHOWN:] else ""
    number = counted(len(found), "difference")
    return warning("topology", f"{number}: {', '.join(told)}{rest}", f"goatherd topology plan {target}")


def _lost_letters(app: Goatherd, looked: Looked) -> Iterator[Check]:
    """Queues whose dead letters the broker throws away; bindings must have been seen to know that."""
    if looked.survey.unseen:
        return
    seen, default = looked.survey.blueprint, looked.survey.default_type
    for end in dead_ends(seen, sorted({queue.name for queue in app.contracts()}), default):
        found = f"{end.queue} hands dead letters to {end.way}, but {end.why}: what expires or is rejected is lost"
        yield wrong("dead letters", found, _LEAD)
