"""What the records are told of a unit after an attempt: pure decisions by the step's own rules."""

import msgspec

from goatherd.engine.step_arguments import single_items
from goatherd.engine.step_book import Place
from goatherd.model.dead_letter import Burial
from goatherd.model.run_record import (
    WHOLE,
    AgainLater,
    FailRun,
    LeaveOut,
    LetGo,
    Separate,
    StandIn,
    Succeed,
    Trouble,
    UnitClaim,
    UnitSettlement,
)
from goatherd.model.verdict import Again, Dead, Verdict, dead


def after_success(place: Place, claim: UnitClaim, result: bytes, now: float) -> UnitSettlement | Dead:
    """It is done, unless what was given is not what the next steps can be given."""
    if claim.key.item == WHOLE or place.step.batch is None or claim.phase == "compensate":
        return Succeed(hold=claim.hold, result=result, onward=place.onward)
    try:
        given = len(msgspec.json.decode(result, type=list[msgspec.Raw]))
    except msgspec.ValidationError:
        return _wrong(place, claim, "no list", now)
    if given != claim.size:
        return _wrong(place, claim, f"{given} results", now)
    return Succeed(hold=claim.hold, result=result.strip()[1:-1], onward=place.onward)


def after_failure(
    place: Place, claim: UnitClaim, verdict: Again | Dead, letter: bytes, *, had_effect: bool = False
) -> UnitSettlement:
    """It is tried again, in smaller parts, or not at all; then somebody stands in, the list goes on, or the run fails.

    The letter is what it leaves for the dead letters in the last case. What had its effect is not made again in parts.
    """
    counts = not isinstance(verdict, Again) or (verdict.failures > claim.failures and not verdict.refused)
    if claim.size > 1 and counts and not had_effect:
        return Separate(hold=claim.hold, contents=single_items(claim.content), trouble=_trouble(verdict))
    if isinstance(verdict, Again):
        # Whoever stands in is told why the step failed, in each of its own attempts.
        trouble = _trouble(verdict) if claim.phase == "do" else None
        return AgainLater(hold=claim.hold, delay=verdict.delay, failures=verdict.failures, trouble=trouble)
    trouble = trouble_of(verdict.burial)
    # Who stands in does so for one item.
    if claim.phase == "do" and place.step.compensation is not None and claim.size <= 1:
        return StandIn(hold=claim.hold, trouble=trouble)
    if claim.phase == "do" and place.step.on_failure == "skip":
        return LeaveOut(hold=claim.hold, trouble=trouble, onward=place.onward)
    return FailRun(hold=claim.hold, trouble=trouble, letter=letter)


def after_nothing(claim: UnitClaim) -> UnitSettlement:
    """No attempt was made, or this worker ends."""
    return LetGo(hold=claim.hold)


def trouble_of(burial: Burial) -> Trouble:
    """Why it is given up."""
    return Trouble(
        error_type=burial.error_type, message=burial.message, traceback=burial.traceback, attempts=burial.attempts
    )


def _trouble(verdict: Verdict) -> Trouble:
    if isinstance(verdict, Dead):
        return trouble_of(verdict.burial)
    assert isinstance(verdict, Again), "what is done has no trouble"
    kind, colon, told = verdict.why.partition(": ")
    if not colon or not kind.isidentifier():
        kind, told = "", verdict.why
    return Trouble(error_type=kind, message=told, attempts=verdict.failures)


def _wrong(place: Place, claim: UnitClaim, given: str, now: float) -> Dead:
    told = (
        f"{place.step.task.name} was called with {claim.size} items and gave {given}; it must return a list with one "
        f"result for each item, in their order"
    )
    return dead("failed", "WrongResults", told, claim.failures + 1, now)
