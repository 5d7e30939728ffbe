"""Keyed jobs that have their effect in a transaction of the user's own."""

import logging

import msgspec

from goatherd.engine.admission import Admitted
from goatherd.engine.lane_source import Held
from goatherd.engine.ticket import Ticket
from goatherd.errors import Unavailable
from goatherd.model.message import Delivery
from goatherd.model.verdict import Again, Dead, Done, HandedBack, Verdict

log = logging.getLogger("goatherd.worker")


def with_ticket(admitted: Admitted | Verdict, delivery: Delivery) -> Admitted | Verdict:
    """A job from a lane can show where it stands."""
    held = delivery.tag
    if not isinstance(held, Held) or not isinstance(admitted, Admitted):
        return admitted
    return msgspec.structs.replace(admitted, ticket=held.ticket())


async def after_effect(verdict: Verdict, delivery: Delivery, ticket: Ticket) -> Verdict:
    """What becomes of a job that moved its lane on itself, or was kept from it, if its lane is not ours any more.

    If the move was committed, it is done, whatever came after. If another worker has the lane, that one does it.
    """
    held = delivery.tag
    concerned = (ticket.used or ticket.refused) and not isinstance(verdict, Done)
    if not concerned or not isinstance(held, Held) or await _may_be_ours(held):
        return verdict
    if ticket.refused:
        return HandedBack()
    log.warning("Job %s failed after its effect was committed, so it counts as done", delivery.message.id)
    return Done(result=None, lost=f"It failed after its effect was committed: {_why(verdict)}")


async def _may_be_ours(held: Held) -> bool:
    try:
        return await held.is_still_ours()
    except Unavailable as error:
        log.warning("Whether a lane was moved on cannot be seen now: %s", error)
        return True


def _why(verdict: Verdict) -> str:
    match verdict:
        case Again(why=why):
            return why
        case Dead(burial=burial):
            return f"{burial.error_type}: {burial.message}"
    return "it was stopped"
