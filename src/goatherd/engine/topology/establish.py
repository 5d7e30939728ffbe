"""Have a broker as the definition wants it before an app uses it, or refuse to begin."""

import logging
from collections.abc import Collection, Sequence
from typing import Literal

from goatherd.errors import SettingsError, TopologyMismatch, Unavailable
from goatherd.model.blueprint import PolicySpec
from goatherd.model.definition import Definition
from goatherd.model.difference import Difference
from goatherd.model.drift_table import drift_table
from goatherd.model.stand_in import stand_in_of
from goatherd.model.survey import Survey
from goatherd.ports.plumbing import Plumbing

#: Names that are told in one line of the log.
MOST_TOLD = 10

log = logging.getLogger("goatherd.topology")


async def establish(
    plumbing: Plumbing | None, definition: Definition | None, declare: Literal["create", "check", "never"]
) -> None:
    """What `declare` promises beside the queues that a broker makes itself; raises TopologyMismatch or Unavailable."""
    if plumbing is None or definition is None:
        return
    if declare == "check":
        await check_topology(plumbing, definition)
    elif declare == "create" and definition.blueprint.policies:
        await make_policies(plumbing, definition)


async def check_topology(plumbing: Plumbing, definition: Definition, may_be_missing: Collection[str] = ()) -> None:
    """Raise TopologyMismatch with a table of all differences; what is only left over is told in the log.

    So are queues that are missing, if their names say that they may be.
    """
    seen = await plumbing.survey(definition.blueprint)
    if seen.unseen:
        log.warning("Not all of the broker could be looked at; not checked: %s", _listed(seen.unseen))
    differences = definition.differences(seen)
    left_over = [f"{each.kind} {each.name!r}" for each in differences if each.change == "orphan"]
    if left_over:
        log.warning("On the broker is left what nobody wants any more: %s", _listed(left_over))
    missing = [each for each in differences if _is_missing(each, may_be_missing)]
    if missing:
        log.warning("The broker has not yet: %s", _listed([f"{each.kind} {each.name!r}" for each in missing]))
    wrong = [each for each in differences if each.change != "orphan" and each not in missing]
    # A table shows the first ones only: what is wrong comes before what is missing.
    wrong.sort(key=lambda each: each.change in ("create", "bind"))
    if wrong:
        raise _mismatch(wrong, definition, await _begun(plumbing, seen, wrong))


async def make_policies(plumbing: Plumbing, definition: Definition) -> None:
    """Make those that are missing, and alter none; where that cannot be done it is told in the log."""
    wanted = definition.blueprint.policies
    names = _listed([repr(each.name) for each in wanted])
    try:
        seen = await plumbing.survey(definition.blueprint)
        if any("policies" in each for each in seen.unseen):
            log.warning("The broker does not tell of policies here, so these may be missing: %s", names)
            return
        for policy in wanted:
            await _make_policy(plumbing, policy, seen)
    except (SettingsError, Unavailable) as error:
        log.warning("Some of the policies %s may be missing: %s", names, error)


def missing_policies(definition: Definition, seen: Survey) -> list[PolicySpec]:
    """Those that are not there at all."""
    return [each for each in definition.blueprint.policies if seen.blueprint.policy(each.name) is None]


async def _make_policy(plumbing: Plumbing, wanted: PolicySpec, seen: Survey) -> None:
    there = seen.blueprint.policy(wanted.name)
    if there is None:
        await plumbing.set_policy(wanted)
    elif there != wanted:
        log.warning(
            "The policy %r differs from what this program wants, and stays as it is; `goatherd topology plan` shows "
            "the difference", wanted.name,
        )  # fmt: skip


def _is_missing(difference: Difference, may_be: Collection[str]) -> bool:
    if difference.binding is not None:
        return difference.change == "bind" and difference.binding.destination in may_be
    return difference.change == "create" and difference.kind == "queue" and difference.name in may_be


def _mismatch(wrong: Sequence[Difference], definition: Definition, begun: Sequence[str]) -> TopologyMismatch:
    first = wrong[0]
    detail = next(iter(first.details), None)
    told = (detail.field, detail.wanted, detail.found) if detail is not None else ("existence", True, False)
    count = "one thing" if len(wrong) == 1 else f"{len(wrong)} things"
    vhost = definition.blueprint.vhost
    parts = [
        f"The broker's virtual host {vhost!r} differs in {count} from what is wanted here, so nothing starts:",
        drift_table(wrong),
        "`goatherd topology plan --declare check` tells more, and `goatherd topology apply --declare check` mends it.",
    ]
    if begun:
        parts.append(
            f"A replacement of {_listed(begun)} was begun and is not finished: if nobody is at it now, `goatherd "
            f"topology apply` goes on with it. No message is lost meanwhile. Start this program again afterwards."
        )
    return TopologyMismatch(first.kind, first.name, *told, message="\n\n".join(parts))


async def _begun(plumbing: Plumbing, seen: Survey, wrong: Sequence[Difference]) -> list[str]:
    """What is being replaced, as its stand-ins tell."""
    named = [each for each in wrong if each.kind in ("queue", "exchange")]
    there = {each.name for each in seen.blueprint.queues} | {each.name for each in seen.blueprint.exchanges}
    begun = [each for each in named if stand_in_of(each.name) in there]
    if seen.unseen:
        # Where a broker tells of nothing that is not named, it must be asked; of a queue that differs, and only a few.
        asked = [each for each in named if each.kind == "queue" and each not in begun][:MOST_TOLD]
        begun += [each for each in asked if await plumbing.crowd(stand_in_of(each.name)) is not None]
    return [f"the {each.kind} {each.name!r}" for each in begun]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
    return ", ".join(names[:MOST_TOLD]) + more
