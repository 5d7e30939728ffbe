"""A unit that this worker has, as a delivery of its own."""

import logging
from collections.abc import Callable
from hashlib import sha256

import msgspec

from goatherd.engine.admission import Admitted, Rules, crashed
from goatherd.engine.emitter import Voice
from goatherd.engine.step_book import Place
from goatherd.engine.ticket import LONGEST_FENCE, Ticket
from goatherd.model.formats import Work
from goatherd.model.lane import Fence
from goatherd.model.message import Delivery, Message
from goatherd.model.run_record import UnitClaim, UnitHold, UnitKey
from goatherd.model.signature import Misfit
from goatherd.model.trace_context import parted
from goatherd.model.verdict import Again, Dead, Verdict, dead

log = logging.getLogger("goatherd.pipelines")


class HeldUnit:
    """The tag of its delivery; known to the heartbeat."""

    __slots__ = ("arguments", "begun", "claim", "delivery", "lost", "place", "settle", "trace_id", "until", "voice")

    def __init__(
        self,
        claim: UnitClaim,
        place: Place,
        arguments: bytes,
        until: float,
        settle: "Callable[[HeldUnit, Verdict, Admitted | None], None]",
    ) -> None:
        self.claim = claim
        self.place = place
        self.arguments = arguments
        #: On the loop's clock: others may have it afterwards.
        self.until = until
        #: Tells the records what became of it, after an attempt or without one.
        self.settle = settle
        #: Where its code tells how far it is.
        self.voice: Voice | None = None
        self.lost = False
        self.begun = False
        task = place.task_in(claim.phase)
        self.trace_id, carrier = parted(claim.trace_id)
        message = Message(
            id=str(claim.key), queue=task.queue, body=arguments, task=task.name, priority=claim.priority,
            headers=carrier,
        )  # fmt: skip
        self.delivery = Delivery(message=message, accepted=claim.accepted, deaths=claim.deaths, tag=self)

    @property
    def name(self) -> UnitKey:
        """What it is kept under."""
        return self.claim.key

    @property
    def hold(self) -> UnitHold:
        """What the records want to see."""
        return self.claim.hold

    @property
    def may_give_nothing(self) -> bool:
        """Whether it is done with its effect, whatever became of its result."""
        return self.place.task_in(self.claim.phase).signature.may_give_nothing

    def end_with(self, verdict: Verdict, admitted: Admitted | None = None) -> None:
        """Tell the records what became of it: after an attempt, or without one."""
        name = self.place.task_in(self.claim.phase).name
        match verdict:
            case Again():
                log.warning("%s[%s] failed, and is tried again: %s", name, self.claim.key, verdict.why)
            case Dead(burial=burial):
                log.error("%s[%s] failed for good (%s): %s", name, self.claim.key, burial.reason, burial.message)
        self.settle(self, verdict, admitted)

    def admit(self, rules: Rules, now: float) -> Admitted | Verdict:
        """The job in it, which may start, or what becomes of it instead."""
        claim, task = self.claim, self.place.task_in(self.claim.phase)
        work = Work(
            job_id=str(claim.key),
            run_id=claim.key.run,
            task=task.name,
            payload=msgspec.Raw(self.arguments),
            failures=claim.failures,
            trace_id=self.trace_id,
            created=claim.created,
        )
        if claim.deaths >= rules.most_deaths:
            return crashed(claim.deaths, work, now)
        try:
            arguments = task.signature.decode(self.arguments)
        except Misfit as misfit:
            told = f"what comes before it does not fit {task.name}: {misfit}"
            return dead("invalid", "InvalidArguments", told, claim.failures, now)
        fence = Fence(key=_fence_key(claim), token=claim.token, seq=claim.round)
        return Admitted(task=task, work=work, arguments=arguments, ticket=Ticket(fence=fence))


def _fence_key(claim: UnitClaim) -> str:
    """What its effect is known by; that of a stand-in is another one."""
    told = f"{'step' if claim.phase == 'do' else 'stand-in'}/{claim.key}"
    # The table of the user's own takes no more.
    return told if len(told) <= LONGEST_FENCE else f"{told[:64]}…{sha256(told.encode()).hexdigest()}"


def voice_of(delivery: Delivery) -> Voice | None:
    """Where the code of a step tells how far it is; None for a job that is no part of a run."""
    return delivery.tag.voice if isinstance(delivery.tag, HeldUnit) else None
