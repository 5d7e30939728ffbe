"""What the machine of runs may do: all that can be asked of their records, in small numbers, so that it meets."""

from typing import Literal, NamedTuple, TypeAlias

from hypothesis import strategies as st

from goatherd.model.run_record import (
    AgainLater,
    FailRun,
    LeaveOut,
    LetGo,
    Onward,
    Parcel,
    Separate,
    StandIn,
    Succeed,
    Trouble,
    UnitClaim,
    UnitHold,
    UnitSettlement,
)
from goatherd.testing.suites.step_people import DIAMOND, LINE, Plan

RUNS = ("run-1", "run-2", "run-3", "run-4")
WORKERS = ("w1", "w2", "w3")
#: A line, two ways that meet, and lists on the way; a step that is done item by item is called so.
PLANS = (
    LINE,
    DIAMOND,
    Plan("lists", cut=(), items=["cut"], more_items=["items"], join=["more_items"]),
    Plan("both", items=(), right=(), other_items=["right"], join=["items", "other_items"]),
)
PIPELINES = tuple(dict.fromkeys(plan.pipeline for plan in PLANS))

How: TypeAlias = Literal["succeed", "leave out", "again", "separate", "stand in", "fail", "let go"]


class Settling(NamedTuple):
    """What somebody does with something that he has, or had, or says to have."""

    how: How
    #: Counted from the newest claim that anybody ever got.
    back: int
    #: What is added to the token: nothing, if it is not forged.
    shift: int
    delay: float

    def of(self, claim: UnitClaim, number: int, onward: Onward) -> UnitSettlement:  # noqa: PLR0911 - one for each way
        hold = UnitHold(key=claim.key, token=claim.token + self.shift)
        trouble = Trouble(error_type="ValueError", message=f"no luck {number} ü", attempts=number)
        result = b",".join([b"%d" % number] * max(1, claim.size))
        match self.how:
            case "succeed":
                return Succeed(hold=hold, result=result, onward=onward)
            case "leave out":
                return LeaveOut(hold=hold, trouble=trouble, onward=onward)
            case "separate" if claim.size > 1:
                return Separate(hold=hold, contents=claim.content.split(b","), trouble=trouble)
            case "again" | "separate":
                return AgainLater(hold=hold, delay=self.delay, failures=claim.failures + 1, trouble=trouble)
            case "stand in":
                return StandIn(hold=hold, trouble=trouble)
            case "fail":
                return FailRun(hold=hold, trouble=trouble, letter=b"letter %d" % number)
            case "let go":
                return LetGo(hold=hold)


class Spreading(NamedTuple):
    """How a list is made into parcels."""

    sizes: list[int]
    at_once: int | None

    def parcels(self) -> list[Parcel]:
        made, item = [], 0
        for size in self.sizes:
            content = b",".join(b"%d" % number for number in range(item, item + size))
            made.append(Parcel(item=item, size=size, content=content))
            item += size
        return made


#: Mostly what somebody has just got, sometimes what he has lost long ago.
BACK = st.integers(0, 3) | st.integers(0, 40)
#: Mostly true, sometimes a little off.
SHIFT = st.sampled_from([0, 0, 0, 0, 0, 1, -1])
DELAY = st.sampled_from([0.0, 0.0, 2.0, 60.0])
HOW: st.SearchStrategy[How] = st.sampled_from(
    [
        "succeed",
        "succeed",
        "succeed",
        "succeed",
        "leave out",
        "again",
        "separate",
        "separate",
        "stand in",
        "fail",
        "let go",
    ]
)
SETTLING = st.builds(Settling, how=HOW, back=BACK, shift=SHIFT, delay=DELAY)
SPREADING = st.builds(
    Spreading,
    sizes=st.lists(st.sampled_from([1, 1, 2, 3]), max_size=5),
    at_once=st.sampled_from([None, 1, 1, 2, 3]),
)
#: Any unit, counted over all that there are.
PICK = st.integers(0, 60)
PICKS = st.lists(PICK, max_size=5)
LEASES = st.sampled_from([30.0, 10.0, 3.0])
