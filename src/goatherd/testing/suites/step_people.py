"""Those who act in the suite of pipelines' records: plans of runs, and workers that count their exchanges."""

from collections.abc import Sequence

import msgspec

from goatherd.model.ids import new_id
from goatherd.model.run_record import (
    WHOLE,
    AgainLater,
    Decision,
    FailRun,
    LeaveOut,
    NewRun,
    NoClaim,
    Onward,
    Parcel,
    PlannedStep,
    Separate,
    Spread,
    StandIn,
    Succeed,
    Trouble,
    UnitClaim,
    UnitExchange,
    UnitExchanged,
    UnitKey,
    UnitSettlement,
)
from goatherd.testing.suites.step_store import StepStore

#: The run that most cases are about.
RUN = "run-1"
#: Seconds that somebody has to tell of what he took.
AGAIN_AFTER = 5.0

TROUBLE = Trouble(error_type="ValueError", message="no luck ü", traceback="line\n1", attempts=3)


def key(step: str, item: int = WHOLE, run: str = RUN) -> UnitKey:
    """A unit of the case's run."""
    return UnitKey(run=run, step=step, item=item)


class Plan:
    """A pipeline by its steps, each with those that must be done before it; the last one is the run's end."""

    def __init__(self, pipeline: str = "film", /, **after: Sequence[str]) -> None:
        self.pipeline = pipeline
        self.steps = [PlannedStep(name=name, after=tuple(before)) for name, before in after.items()]

    def run(self, id: str = RUN, *, input: bytes = b'{"film":1}', delay: float = 0.0, priority: int = 0) -> NewRun:
        """A run as it begins."""
        return NewRun(
            id=id, pipeline=self.pipeline, input=input, trace_id=f"trace-{id}", priority=priority, delay=delay,
            steps=self.steps,
        )  # fmt: skip

    def onward(self, step: str) -> Onward:
        """What follows a step."""
        then = tuple(each.name for each in self.steps if step in each.after)
        return Onward(then=then, last=step == self.steps[-1].name)

    def from_here(self, step: str) -> list[PlannedStep]:
        """A step and all that come after it."""
        reached = {step}
        for each in self.steps:
            if reached.intersection(each.after):
                reached.add(each.name)
        return [each for each in self.steps if each.name in reached]

    async def begin(self, steps: StepStore, *ids: str) -> None:
        """Begin runs of it."""
        assert all(await steps.begin([self.run(id) for id in ids or (RUN,)]))

    async def taken(self, steps: StepStore, limit: int = 100) -> list[str]:
        """What workers should be told of now; of the case's run without its name."""
        turns = await steps.take([self.pipeline], limit, AGAIN_AFTER)
        return [str(turn.key).removeprefix(f"{RUN}/") for turn in turns]


#: The plans that most cases need: one step, one after the other, and two ways that meet.
ONE = Plan(work=())
LINE = Plan(first=(), second=["first"])
DIAMOND = Plan(cut=(), hear=["cut"], see=["cut"], join=["hear", "see"])


def parcels(count: int, size: int = 1) -> list[Parcel]:
    """So many of them, of so many items each; an item is its number."""
    return [
        Parcel(item=first, size=size, content=b",".join(b"%d" % item for item in range(first, first + size)))
        for first in range(0, count * size, size)
    ]


class Worker:
    """Counts its exchanges and remembers the last one; it is the conductor, too."""

    def __init__(self, steps: StepStore, plan: Plan = ONE, lease: float = 30.0) -> None:
        self.steps = steps
        self.plan = plan
        self.lease = lease
        self.name = new_id()
        self.number = 0
        self._last: UnitExchange | None = None

    async def exchange(
        self, *settled: UnitSettlement, decided: Sequence[Decision] = (), wanted: Sequence[UnitKey] = ()
    ) -> UnitExchanged:
        """Under the next number."""
        self.number += 1
        self._last = UnitExchange(
            worker=self.name, number=self.number, settled=settled, decided=decided, wanted=wanted, lease=self.lease
        )
        exchanged = await self.steps.exchange(self._last)
        answers = (exchanged.settled, exchanged.decided, exchanged.claims)
        assert tuple(map(len, answers)) == (len(settled), len(decided), len(wanted)), "one answer for each"
        return exchanged

    async def repeat(self) -> UnitExchanged:
        """The last exchange once more, as if no answer had come."""
        assert self._last is not None
        return await self.steps.exchange(self._last)

    async def claim(self, *wanted: UnitKey) -> Sequence[UnitClaim | NoClaim]:
        """Each of them, or why not."""
        return (await self.exchange(wanted=wanted)).claims

    async def one(self, step: str = "work", item: int = WHOLE, run: str = RUN) -> UnitClaim:
        """This unit, which must be free."""
        [claim] = await self.claim(key(step, item, run))
        assert isinstance(claim, UnitClaim), f"{step} {item} of {run} is {claim}"
        return claim

    async def settle(self, settlement: UnitSettlement) -> bool:
        """One thing, and whether the worker had it still."""
        [answer] = (await self.exchange(settlement)).settled
        return answer

    async def decide(self, decision: Decision) -> bool:
        """One thing about a unit that nobody has, and whether it was made."""
        [answer] = (await self.exchange(decided=[decision])).decided
        return answer

    async def do(self, step: str, item: int = WHOLE, result: bytes = b'"ok"', run: str = RUN) -> None:
        """Claim it and have it done."""
        assert await self.settle(self.success(await self.one(step, item, run), result))

    async def spread(self, step: str, of: Sequence[Parcel], at_once: int | None = None, run: str = RUN) -> None:
        """The items of a step are known."""
        assert await self.decide(self.spreading(step, of, at_once, run))

    def success(self, claim: UnitClaim, result: bytes = b'"ok"') -> Succeed:
        """It is done, with this result."""
        return Succeed(hold=claim.hold, result=result, onward=self.plan.onward(claim.key.step))

    def left_out(self, claim: UnitClaim) -> LeaveOut:
        """The list goes on without it."""
        return LeaveOut(hold=claim.hold, trouble=TROUBLE, onward=self.plan.onward(claim.key.step))

    def spreading(self, step: str, of: Sequence[Parcel], at_once: int | None = None, run: str = RUN) -> Spread:
        """Into these parcels."""
        return Spread(key=key(step, run=run), parcels=of, at_once=at_once, onward=self.plan.onward(step))


def failing(claim: UnitClaim, letter: bytes = b"letter", trouble: Trouble = TROUBLE) -> FailRun:
    """It failed for good, and so does its run."""
    return FailRun(hold=claim.hold, trouble=trouble, letter=letter)


def again(claim: UnitClaim, delay: float = 0.0, failures: int = 1, trouble: Trouble | None = TROUBLE) -> AgainLater:
    """It failed, and is tried again."""
    return AgainLater(hold=claim.hold, delay=delay, failures=failures, trouble=trouble)


def stand_in(claim: UnitClaim) -> StandIn:
    """Somebody is to say what stands in for it."""
    return StandIn(hold=claim.hold, trouble=TROUBLE)


def separate(claim: UnitClaim) -> Separate:
    """Its items are tried one by one."""
    contents: list[msgspec.Raw] = msgspec.json.decode(b"[" + claim.content + b"]", type=list[msgspec.Raw])
    return Separate(hold=claim.hold, contents=[bytes(item) for item in contents], trouble=TROUBLE)


def given(claims: Sequence[UnitClaim | NoClaim]) -> list[UnitClaim]:
    """All of them, none refused."""
    claimed = [claim for claim in claims if isinstance(claim, UnitClaim)]
    assert len(claimed) == len(claims), f"some were refused: {claims}"
    return claimed


async def state_of(steps: StepStore, run: str = RUN) -> str:
    """Whether a run goes on, or how it ended."""
    look = await steps.look(run)
    assert look is not None
    return look.summary.state


async def states(steps: StepStore, run: str = RUN) -> dict[str, str]:
    """How each of a run's steps stands."""
    look = await steps.look(run)
    assert look is not None
    return {step.name: step.state for step in look.steps}
