"""Messages about units, while they wait to be claimed; each is acked as soon as the records have answered.

A message is a hint, and the records tell of a unit again that is not claimed: so whatever they answer, nothing is lost
when the message goes.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Container, Sequence
from dataclasses import dataclass

import msgspec

from goatherd.engine.foreign_steps import ForeignSteps, Misread
from goatherd.engine.step_book import Place, StepBook
from goatherd.engine.step_trade import Answer
from goatherd.errors import Unavailable, UnknownJob
from goatherd.model.envelope import FromTheFuture, Unparsable
from goatherd.model.formats import failures_of
from goatherd.model.message import Delivery
from goatherd.model.run_record import WHOLE, Decision, UnitKey
from goatherd.model.step_wire import LAST_ITEM, TRY_AGAIN, StepNote, read_note
from goatherd.model.trace_context import carrier_in
from goatherd.model.verdict import Again, Dead, dead, headers_for, refused
from goatherd.ports.broker import Broker
from goatherd.ports.clock import Clock

#: Seconds after which a message is taken again that needs the records, or the events of its run, while they are away.
TAKEN_AGAIN_AFTER = 1.0

log = logging.getLogger("goatherd.pipelines")

#: Tries a step of a run again; raises Unavailable.
TryAgain = Callable[[str, str], Awaitable[object]]


@dataclass(frozen=True)
class Hint:
    """A message about a unit."""

    key: UnitKey
    place: Place
    note: StepNote
    delivery: Delivery


class Hints:
    """Those of one worker, oldest first."""

    def __init__(
        self,
        broker: Broker,
        book: StepBook,
        foreign: ForeignSteps,
        clock: Clock,
        try_again: TryAgain,
        patience: float,
    ) -> None:
        self._broker = broker
        self._book = book
        self._foreign = foreign
        self._clock = clock
        self._try_again = try_again
        #: Seconds for which messages about unknown runs are offered.
        self._patience = patience
        self._waiting: deque[Hint] = deque()
        self._wake: Callable[[], None] = lambda: None
        self._decide: Callable[[Decision], Awaitable[bool]] | None = None
        self._errands: set[asyncio.Task[None]] = set()

    def start(self, wake: Callable[[], None], decide: Callable[[Decision], Awaitable[bool]]) -> None:
        """Say who is told that something waits, and who tells the records."""
        self._wake, self._decide = wake, decide

    @property
    def waiting(self) -> int:
        """How many wait, or are being seen to."""
        return len(self._waiting) + len(self._errands)

    def sort_out(self, deliveries: Sequence[Delivery]) -> Sequence[Delivery]:
        """Keep messages about units, and give back all others."""
        others = [delivery for delivery in deliveries if not self._keep(delivery)]
        if len(others) < len(deliveries):
            self._wake()
        return others

    def next(self, count: int, held: Container[UnitKey], later: Container[UnitKey] = ()) -> list[Hint]:
        """Some of them, about different units, which are to be settled; those about units held here are dropped."""
        chosen: dict[UnitKey, Hint] = {}
        kept: list[Hint] = []
        while self._waiting and len(chosen) < count:
            hint = self._waiting.popleft()
            if self._broker.is_lost(hint.delivery):
                # It comes again, here or elsewhere.
                continue
            if hint.key in later or (hint.key in chosen and self._foreign.may_precede(hint.place)):
                # Of two that foreign workers sent, the second may say more about the step before.
                kept.append(hint)
            elif hint.key in chosen or hint.key in held:
                self._broker.ack(hint.delivery)
            else:
                chosen[hint.key] = hint
        self._waiting.extendleft(reversed(kept))
        return list(chosen.values())

    def settle(self, hint: Hint, answer: Answer) -> None:
        """The records have answered."""
        if answer == "early" and self._foreign.may_precede(hint.place):
            self._run_errand(self._note_arrival(hint), hint.delivery)
        elif answer == "unknown":
            self._run_errand(self._see_to_unknown(hint), hint.delivery)
        else:
            self._broker.ack(hint.delivery)

    async def hand_back(self) -> None:
        """Let others have them."""
        for errand in list(self._errands):
            errand.cancel()
        await asyncio.gather(*self._errands, return_exceptions=True)
        waiting = [hint.delivery for hint in self._waiting]
        self._waiting.clear()
        if waiting:
            await self._broker.hand_back(waiting)

    # --- inside -----------------------------------------------------------------------------------

    def _keep(self, delivery: Delivery) -> bool:
        queue, again = delivery.message.queue, TRY_AGAIN in delivery.message.headers
        if queue == self._book.answers and not again:
            self._run_errand(self._take_answer(delivery), delivery)
            return True
        if queue not in self._book.queues and queue != self._book.answers:
            return False
        try:
            note = read_note(delivery.message.body)
        except (Unparsable, FromTheFuture):
            # Whatever it is, it is for those who say so to all others.
            return False
        place = self._book.meant(note, queue)
        if place is None:
            return False
        hint = Hint(_claimable(place, note), place, note, delivery)
        if again:
            self._run_errand(self._take_up_again(hint), delivery)
        else:
            self._waiting.append(hint)
        return True

    async def _take_up_again(self, hint: Hint) -> None:
        """Somebody has sent a dead letter once more."""
        try:
            await self._try_again(hint.key.run, hint.key.step)
        except UnknownJob:
            await self._bury(hint.delivery, f"there is no run {hint.key.run!r} on record that could be taken up again")
            return
        self._broker.ack(hint.delivery)

    async def _note_arrival(self, hint: Hint) -> None:
        """It came from a foreign worker, who has done the step before and says so by sending the next one."""
        assert self._decide is not None, "it is said before the first message comes"
        try:
            decisions = self._foreign.arrived_before(hint.place, hint.note)
        except Misread as error:
            await self._bury(hint.delivery, str(error))
            return
        made = [await self._decide(decision) for decision in decisions]
        if any(made):
            # What was early may be in time now.
            self._waiting.append(hint)
            self._wake()
        else:
            self._broker.ack(hint.delivery)

    async def _take_answer(self, delivery: Delivery) -> None:
        assert self._decide is not None, "it is said before the first message comes"
        try:
            decision = self._foreign.answer_in(read_note(delivery.message.body))
        except (Unparsable, FromTheFuture, Misread) as error:
            await self._bury(delivery, str(error))
            return
        if not await self._decide(decision):
            log.info("An answer came for %s, which was done or given up before", decision.key)
        self._broker.ack(delivery)

    async def _see_to_unknown(self, hint: Hint) -> None:
        """A run that begins with a message of somebody else, or one that is not on record, or not yet."""
        try:
            carrier = carrier_in(hint.delivery.message.headers)
            adopted = await self._foreign.adopt(hint.place, hint.note, carrier)
        except Misread as error:
            await self._bury(hint.delivery, str(error))
            return
        if adopted:
            self._waiting.append(hint)
            self._wake()
            return
        message = hint.delivery.message
        why = f"there is no run {hint.key.run!r} of {hint.place.pipeline.name!r} on record, or it has no such step"
        headers, now = message.headers, self._clock.now()
        verdict = refused("unknown_task", why, headers, failures_of(headers), now, self._patience)
        if isinstance(verdict, Again):
            following = msgspec.structs.replace(
                message, due=now + verdict.delay, headers=headers_for(verdict, message.headers)
            )
            await self._broker.replace(hint.delivery, following)
        elif isinstance(verdict, Dead):
            await self._broker.bury(hint.delivery, verdict.burial)

    async def _bury(self, delivery: Delivery, why: str) -> None:
        verdict = dead("invalid", "InvalidArguments", why, failures_of(delivery.message.headers), self._clock.now())
        log.error("A message on %s is a dead letter: %s", delivery.message.queue, why)
        await self._broker.bury(delivery, verdict.burial)

    def _run_errand(self, errand: Awaitable[None], delivery: Delivery) -> None:
        task = asyncio.ensure_future(self._seen_through(errand, delivery))
        task.set_name("goatherd message of a step")
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    async def _seen_through(self, errand: Awaitable[None], delivery: Delivery) -> None:
        try:
            await errand
        except Unavailable as error:
            log.warning("A message of a step could not be seen to, and is taken again: %s", error)
            await asyncio.sleep(TAKEN_AGAIN_AFTER)
            # Held for ever, it would keep all others from coming, where one is held at a time.
            await self._give_up(self._broker.hand_back([delivery]))
        except Exception as error:
            log.exception("A message of a step could not be seen to; this is a fault of Goatherd")
            await self._give_up(self._bury(delivery, f"a fault of Goatherd: {error!r}"))

    async def _give_up(self, settling: Awaitable[None]) -> None:
        try:
            await settling
        except Unavailable as error:
            log.debug("The broker is away, and delivers it again when it is back: %s", error)


def _claimable(place: Place, note: StepNote) -> UnitKey:
    """The unit that a message is about; of a step that is done item by item, others know only the whole.

    The whole of it is never done, so what is asked for then is an item that there cannot be: that tells all the same
    whether the step is known, and whether its time has come.
    """
    whole = place.step.is_map and note.item == WHOLE
    return UnitKey(note.task_id, place.step.name, LAST_ITEM if whole else note.item)
