"""Units of pipelines as deliveries: claimed when there is room for them, kept by heartbeats, settled in batches."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from goatherd.engine.admission import Admitted
from goatherd.engine.emitter import Voice
from goatherd.engine.heartbeat import Heartbeat
from goatherd.engine.held_unit import HeldUnit
from goatherd.engine.next_steps import NextSteps
from goatherd.engine.pauses import Pauses
from goatherd.engine.results import encoded_result
from goatherd.engine.run_letters import letter_of
from goatherd.engine.step_arguments import arguments_of, needed, read_results
from goatherd.engine.step_book import Place, StepBook
from goatherd.engine.step_hints import Hint, Hints
from goatherd.engine.step_trade import Answer, StepTrade
from goatherd.engine.unit_settling import after_failure, after_nothing, after_success
from goatherd.errors import Unavailable
from goatherd.model.message import DEATHS, Delivery
from goatherd.model.run_record import WHOLE, Succeed, UnitClaim, UnitExchanged, UnitKey, UnitSettlement
from goatherd.model.verdict import Again, Dead, Done, Verdict, dead
from goatherd.ports.broker import Deliver
from goatherd.ports.clock import Clock
from goatherd.ports.steps import Steps

log = logging.getLogger("goatherd.pipelines")


@dataclass(frozen=True, kw_only=True)
class StepHabits:
    """How a worker deals with units."""

    worker: str
    #: Those that it takes from, and those of all queues that operators have paused.
    queues: frozenset[str]
    paused: Callable[[], Awaitable[frozenset[str]]]
    lease: float
    #: Bytes that a result may take.
    largest_result: int
    #: Told of how far steps are, and that runs have ended or units are ready.
    moved: Callable[[UnitExchanged], None]
    #: Told of units that begin.
    begun: Callable[[UnitClaim], None]
    #: Where the code of a run's steps tells how far it is.
    voice: Callable[[str], Voice]


class StepSource:
    """The units of one worker; satisfies `Holder` for deliveries whose tag is a `HeldUnit`."""

    def __init__(self, steps: Steps, book: StepBook, hints: Hints, clock: Clock, habits: StepHabits) -> None:
        self._steps = steps
        self._book = book
        self._hints = hints
        self._next = NextSteps(book, habits.queues, Pauses(habits.paused))
        self._clock = clock
        self._habits = habits
        self._held: dict[UnitKey, HeldUnit] = {}
        #: What is asked for, and the messages that told of it.
        self._asked: dict[UnitKey, Hint | None] = {}
        #: Not asked for while this worker has one that others died of.
        self._for_later: set[UnitKey] = set()
        self._deliver: Deliver | None = None
        self._room: Callable[[], int] = lambda: 0
        self._on_loss: Callable[[Delivery], None] | None = None
        #: Units that are being left to others, with one death more.
        self._leaving: set[asyncio.Task[None]] = set()
        self._trade = StepTrade(steps, habits.worker, habits.lease, self)
        # Messages may come before the first claim is made.
        hints.start(self._trade.wake, self._trade.decide)
        self._heartbeat = Heartbeat("units", log, steps.beat, habits.lease, self._held, self._lose)
        self._taking = False

    async def start(self, deliver: Deliver, room: Callable[[], int], lost: Callable[[Delivery], None]) -> "StepSource":
        """Begin to claim, as many as there is room for; `lost` is told of those that others may have now."""
        self._deliver, self._room, self._on_loss = deliver, room, lost
        await self._next.start()
        self._trade.start()
        self._heartbeat.start()
        self._taking = True
        self._trade.wake()
        return self

    async def stop(self) -> None:
        """Claim nothing more, and let others have what messages waited here."""
        self._taking = False
        await self._next.stop()
        await self._hints.hand_back()

    async def close(self, deadline: float) -> None:
        """Tell the records what is settled and give back the rest, as well as can be in that time."""
        for held in list(self._held.values()):
            self._tell(held, after_nothing(held.claim))
        await self._heartbeat.stop()
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=deadline)
        await self._trade.stop(deadline)

    @property
    def untold(self) -> int:
        """How many settlements are on their way to the records."""
        return self._trade.untold

    @property
    def resting(self) -> bool:
        """Whether nothing waits here to be claimed or told."""
        moves = self._held or self._leaving or self._hints.waiting
        return not (moves or self._trade.untold or self._trade.busy)

    def nudge(self) -> None:
        """There may be room for more."""
        if self._hints.waiting:
            self._trade.wake()

    def sort_out(self, deliveries: Sequence[Delivery]) -> Sequence[Delivery]:
        """Keep messages about units, and give back all others."""
        return self._hints.sort_out(deliveries)

    def call_off(self, run: str) -> None:
        """A run was cancelled: stop what this worker does of it; others may have it if the run is taken up again."""
        for held in [each for each in self._held.values() if each.claim.key.run == run]:
            self._lose(held)
            self._trade.settle(after_nothing(held.claim))

    async def beat(self) -> None:
        """Have all leases anew now, and notice what is lost, without waiting for the next heartbeat."""
        await self._heartbeat.beat()

    # --- Holder -----------------------------------------------------------------------------------

    def is_lost(self, delivery: Delivery) -> bool:
        held = _held(delivery)
        return held.lost or asyncio.get_running_loop().time() >= held.until

    def begin(self, delivery: Delivery) -> None:
        held = _held(delivery)
        held.begun = True
        self._habits.begun(held.claim)
        self.nudge()

    def end(self, delivery: Delivery) -> None:
        _held(delivery).begun = False

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            self._tell(_held(delivery), after_nothing(_held(delivery).claim))

    # --- Customer ---------------------------------------------------------------------------------

    def wishes(self) -> Sequence[UnitKey]:
        if not self._taking:
            return ()
        waiting = sum(not held.begun for held in self._held.values())
        # At least one waits here for its turn, or other jobs could keep all of the worker for themselves.
        count = max(self._room() - waiting, 0 if self._held else 1)
        if not self._has_suspect:
            self._for_later.clear()
        # Runs are brought to their ends first, but others must not wait for ever.
        following = self._next.take(count if not self._hints.waiting else (count + 1) // 2)
        hints = self._hints.next(count - len(following), self._held, self._for_later)
        self._asked = {**dict.fromkeys(following), **{hint.key: hint for hint in hints}}
        return list(self._asked)

    async def take(self, wanted: Sequence[UnitKey], answers: Sequence[Answer], until: float) -> None:
        claimed = self._claimed(wanted, answers)
        if len(claimed) < len(wanted):
            # There is room left, and perhaps nothing else that would ask again.
            self.nudge()
        if not claimed:
            return
        results = await self._results([(claim.key.run, needed(place.step)) for claim, place in claimed])
        deliveries = []
        for claim, place in claimed:
            if not self._taking or (claim.deaths and self._has_suspect):
                self._leave_to_others(claim)
            else:
                arguments = arguments_of(place, claim, results.get(claim.key.run, {}))
                deliveries.append(self._hold(HeldUnit(claim, place, arguments, until, self._settle)))
        if deliveries and self._deliver is not None:
            self._deliver(deliveries)

    def moved(self, answer: UnitExchanged) -> None:
        self._habits.moved(answer)

    def _claimed(self, wanted: Sequence[UnitKey], answers: Sequence[Answer]) -> list[tuple[UnitClaim, Place]]:
        claimed: list[tuple[UnitClaim, Place]] = []
        for key, answer in zip(wanted, answers, strict=True):
            hint = self._asked.pop(key)
            if isinstance(answer, UnitClaim):
                # Who does not name the pipeline may mean another one that has such a step.
                place = self._book.find(answer.pipeline, key.step)
                if place is None:
                    self._leave_to_others(answer)
                else:
                    claimed.append((answer, place))
            if hint is not None:
                self._hints.settle(hint, answer)
        return claimed

    def _hold(self, held: HeldUnit) -> Delivery:
        key = held.claim.key
        held.voice = self._habits.voice(key.run)
        before = self._held.get(key)
        if before is not None:
            # It was taken from us and has come back before we heard of it.
            self._lose(before)
        self._held[key] = held
        return held.delivery

    @property
    def _has_suspect(self) -> bool:
        return any(held.claim.deaths for held in self._held.values())

    def _leave_to_others(self, claim: UnitClaim) -> None:
        """This worker ends, or has one that may kill it: what waits for its turn here would be blamed for the death."""
        self._for_later.add(claim.key)
        self._trade.settle(after_nothing(claim))

    # --- inside -----------------------------------------------------------------------------------

    async def _results(self, wanted: list[tuple[str, tuple[str, ...]]]) -> dict[str, dict[str, bytes]]:
        return await self._trade.insist(lambda: read_results(self._steps, wanted))

    def _settle(self, held: HeldUnit, verdict: Verdict, admitted: Admitted | None) -> None:
        if isinstance(verdict, Again) and DEATHS in verdict.headers and self._held.get(held.claim.key) is held:
            del self._held[held.claim.key]
            leaving = asyncio.create_task(self._count_death(held), name=f"goatherd death of {held.claim.key}")
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
        else:
            self._tell(held, self._settlement(held, verdict, admitted))
        self.nudge()

    async def _count_death(self, held: HeldUnit) -> None:
        """The process in which it ran died, but not this worker: let its lease end now, which is how deaths count."""
        try:
            await self._steps.beat([held.hold], 0.0)
        except Unavailable as error:
            log.warning("%s is left to others when its lease ends by itself: %s", held.claim.key, error)

    def _settlement(self, held: HeldUnit, verdict: Verdict, admitted: Admitted | None) -> UnitSettlement:
        claim, place, now = held.claim, held.place, self._clock.now()
        had_effect = (isinstance(verdict, Done) and bool(verdict.lost)) or _may_have_had_effect(admitted)
        if isinstance(verdict, Done) and verdict.lost and not held.may_give_nothing:
            verdict = dead("failed", "ResultLost", verdict.lost, claim.failures + 1, now)
        elif isinstance(verdict, Done) and admitted is not None:
            result = encoded_result(verdict, admitted, now, self._habits.largest_result)
            settled = result if isinstance(result, Dead) else after_success(place, claim, result, now)
            if not isinstance(settled, Dead):
                return settled
            verdict = settled
        if isinstance(verdict, Again | Dead):
            return after_failure(place, claim, verdict, self._letter(held, verdict), had_effect=had_effect)
        return after_nothing(claim)

    def _letter(self, held: HeldUnit, verdict: Again | Dead) -> bytes:
        if isinstance(verdict, Again):
            return b""
        claim, place = held.claim, held.place
        for_others = place.task_in(claim.phase).queue in self._book.described
        return letter_of(place, claim, held.arguments, verdict.burial, for_others=for_others)

    def _tell(self, held: HeldUnit, settlement: UnitSettlement) -> None:
        if self._held.get(held.claim.key) is held:
            del self._held[held.claim.key]
        elif held.lost:
            return
        # Nobody waits for the answer: what is lost is with others, and records that are away are asked again.
        self._trade.settle(settlement)
        if isinstance(settlement, Succeed) and held.claim.key.item == WHOLE:
            self._next.after(held.place, held.claim.key.run)

    def _lose(self, held: HeldUnit) -> None:
        held.lost = True
        self._held.pop(held.claim.key, None)
        log.warning("%s was lost to others, or its run was cancelled, while it was worked on", held.claim.key)
        if self._on_loss is not None:
            self._on_loss(held.delivery)


def _may_have_had_effect(admitted: Admitted | None) -> bool:
    return admitted is not None and admitted.ticket is not None and admitted.ticket.written


def _held(delivery: Delivery) -> HeldUnit:
    tag = delivery.tag
    assert isinstance(tag, HeldUnit), "only deliveries of units come here"
    return tag
