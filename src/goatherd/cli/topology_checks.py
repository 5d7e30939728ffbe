"""What `goatherd doctor` says about the exchanges, queues, bindings and policies of the broker."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well, wrong
from goatherd.cli.topology_access import look
from goatherd.cli.wording import counted
from goatherd.errors import DefinitionError, GoatherdError
from goatherd.model.dead_ends import dead_ends

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.topology_access import Looked
    from goatherd.model.difference import Difference

#: Differences that are told; the plan has all.
SHOWN = 3
#: Seconds that the look may take.
DEADLINE = 20.0
_REACH = "Enable the broker's management plugin, or set GOATHERD_MANAGEMENT_URL to where it is."


async def seen_topology(app: Goatherd) -> Looked | Check | None:
    """What the broker has, or what keeps us from seeing it; None for an app that uses none.

    To be asked before the app is opened: a program that starts makes what is missing, and then nobody would see that
    it was.
    """
    if not app.settings.broker_url.startswith(("amqp://", "amqps://")):
        return None
    try:
        async with asyncio.timeout(DEADLINE):
            return await look(app)
    except TimeoutError:
        return warning("topology", f"not compared: no answer within {DEADLINE:g} s", _REACH)
    except DefinitionError as error:
        return wrong("topology", str(error))
    except GoatherdError as error:
        return warning("topology", f"not compared: {error}", _REACH)


def topology_checks(seen: Looked | Check | None, target: str, *, makes: bool) -> Iterator[Check]:
    """Whether the broker is as the app wants it, as far as it tells; `makes` if programs make what is missing."""
    if seen is None:
        return
    if isinstance(seen, Check):
        yield seen
        return
    yield _compared(seen, target, makes=makes)
    yield from lost_letters(seen, target)
    if seen.survey.unseen:
        yield warning("topology", f"not seen, and so not compared: {'; '.join(seen.survey.unseen)}", _REACH)


def _compared(looked: Looked, target: str, *, makes: bool) -> Check:
    from goatherd.desk.drift_words import told_change

    found = looked.differences
    if not found:
        wanted = looked.definition.blueprint
        number = f"{counted(len(wanted.exchanges), 'exchange')} and {counted(len(wanted.queues), 'queue')}"
        return well("topology", f"{number} are as the app wants them")
    told = [f"{told_change(each)} {each.name}" for each in found[:SHOWN]]
    rest = f" and {len(found) - SHOWN:,} more" if found[SHOWN:] else ""
    number = counted(len(found), "difference")
    mend = f"goatherd topology plan {target}"
    if makes and all(map(_is_missing, found)):
        mend = f"The first program that starts makes what is missing. If some ran before, see what is gone: {mend}"
    return warning("topology", f"{number}: {', '.join(told)}{rest}", mend)


def _is_missing(difference: Difference) -> bool:
    return difference.change in ("create", "bind", "policy") and all(each.found is None for each in difference.details)


def lost_letters(looked: Looked, target: str) -> Iterator[Check]:
    """Queues whose dead letters do not arrive; bindings must have been seen to know that."""
    if looked.survey.unseen:
        return
    wanted, seen = looked.definition.blueprint, looked.survey.blueprint
    ends = dead_ends(seen, sorted(queue.name for queue in wanted.queues), looked.survey.default_type)
    alike: dict[tuple[str, str, str], list[str]] = {}
    for end in ends:
        alike.setdefault((end.exchange, end.way, end.why), []).append(end.queue)
    for (exchange, way, why), queues in alike.items():
        more = f" and {len(queues) - SHOWN:,} more" if queues[SHOWN:] else ""
        who = f"{', '.join(queues[:SHOWN])}{more} {'hands' if len(queues) == 1 else 'hand'}"
        found = f"{who} dead letters to {way}, but {why}: what expires or is rejected is lost, or stays unseen"
        mend = f"goatherd topology apply {target}"
        if wanted.exchange(exchange) is None:
            mend = (
                "Make the exchange, a queue for them and a binding between the two (declare them with app.topology, "
                f"then `{mend}`), or name another way in dead_letter=."
            )
        yield wrong("dead letters", found, mend)
