"""Tell workers of units that are ready: spread lists over their items, pass over what is not wanted, publish the rest.

A unit that is ready is on record as such until a worker has claimed it, so whoever conducts may die at any moment:
another one takes what was not told of, or tells of it twice, which does no harm.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from goatherd.engine.abroad import Abroad
from goatherd.engine.apart import apart
from goatherd.engine.conducting import Scores
from goatherd.engine.endings import Endings
from goatherd.engine.insistence import FIRST_PAUSE, LONGEST_PAUSE, Insistence
from goatherd.engine.means import Means
from goatherd.engine.queue_depths import QueueDepths
from goatherd.engine.run_letters import carry_run_letters
from goatherd.engine.run_story import RunStory
from goatherd.engine.step_arguments import read_results
from goatherd.engine.step_book import StepBook
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.message import Message
from goatherd.model.run_record import LetGo, Turn, UnitClaim, UnitExchange, UnitExchanged, UnitKey
from goatherd.ports.dead_letters import DeadLetters
from goatherd.ports.steps import Steps

#: Seconds between two looks for units that others made ready, and for ends, late workers and letters.
LOOK_EVERY, SEE_TO_ENDS_EVERY = 0.2, 1.0
#: Units that are told of in one step.
BATCH = 200
#: Seconds after which workers are told again of a unit that nobody has claimed; twice as long each time.
AGAIN_AFTER = 5.0
#: Seconds for which a unit is left to processes that know its step.
NOT_OURS = 60.0
#: Seconds between two looks at what is so old that it is forgotten.
FORGET_EVERY = 600.0
#: Seconds after which it is tried again to tell of what the broker did not take.
SOON = 0.5

#: How the names begin under which conductors have units that others do.
CONDUCTOR = "conductor of "

log = logging.getLogger("goatherd.pipelines")


class Unsent:
    """What the broker did not take."""

    def __init__(self, error: Unavailable) -> None:
        self.error = error

    def concerns(self, message: Message) -> bool:
        """Whether this one is among it."""
        return not self.error.jobs or message.id in self.error.jobs


class Conductor:
    """One for a process. It looks for itself only where it is asked to; elsewhere it must be nudged."""

    def __init__(  # noqa: PLR0913, PLR0917 - it stands between records, broker and those who watch
        self,
        steps: Steps,
        book: StepBook,
        means: Means,
        depths: QueueDepths,
        story: RunStory,
        dead_letters: DeadLetters,
        name: str,
        kept_for: float,
        make_queues: Callable[[], Awaitable[None]],
    ) -> None:
        self._steps = steps
        self._book = book
        self._broker = means.broker
        self._telemetry = means.telemetry
        self._clock = means.clock
        self._depths = depths
        self._story = story
        self._dead_letters = dead_letters
        self._name = f"{CONDUCTOR}{name}"
        self._kept_for = kept_for
        self._make_queues = make_queues
        self.endings = Endings(steps, story)
        self._scores = Scores(book, means.clock)
        self._number = 0
        self._insistence = Insistence("The records of pipelines", log)
        self._looking = False
        self._needed = asyncio.Event()
        self._ends = False
        self._see_to_ends_at = 0.0
        self._forget_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def busy(self) -> bool:
        """Whether it has something to do now."""
        return not self._idle.is_set()

    async def idle(self) -> None:
        """Return when it has seen to everything."""
        await self._idle.wait()

    def start(self) -> None:
        """Begin to conduct, when nudged."""
        if self._task is None:
            self._task = apart(self._run(), "goatherd conductor of pipelines")

    def look_for_yourself(self) -> None:
        """Look for units that other processes made ready, for late workers and for ends, too."""
        self._looking = True
        self.start()
        self.nudge()

    def nudge(self) -> None:
        """Units may be ready."""
        self._idle.clear()
        self._needed.set()

    def see_to_ends(self) -> None:
        """Runs may have ended."""
        self._ends = True
        self.nudge()

    def moved(self, answer: UnitExchanged) -> None:
        """Something has moved on."""
        self._story.advanced(answer.advances)
        self._ends = self._ends or answer.ended
        if answer.ready or answer.ended:
            self.nudge()

    async def stop(self, deadline: float) -> None:
        """Finish what is being told, as well as can be in that time."""
        self._stopping = self._insistence.stopping = True
        self._needed.set()
        task, self._task = self._task, None
        if task is not None:
            _, late = await asyncio.wait([task], timeout=deadline)
            for each in late:
                each.cancel()
                await asyncio.wait([each], timeout=1.0)
        await self._story.close(deadline)

    async def _run(self) -> None:
        pause = 0.0
        while not self._stopping or self._needed.is_set():
            try:
                moved = await self._round()
                pause = 0.0
            except Unavailable as error:
                if self._stopping:
                    return
                moved = False
                if not pause:
                    log.warning("Pipelines wait, for workers cannot be told of their steps now: %s", error)
                pause = min(LONGEST_PAUSE, 2 * pause or FIRST_PAUSE)
            except Exception:
                log.exception("Steps that are ready could not be told of; this is a fault of Goatherd")
                moved, pause = False, LONGEST_PAUSE
            if pause:
                await asyncio.sleep(pause)
                self._needed.set()
            elif not moved:
                await self._rest()

    async def _rest(self) -> None:
        if self._needed.is_set() or self._stopping:
            return
        self._idle.set()
        try:
            async with asyncio.timeout(LOOK_EVERY if self._looking else None):
                await self._needed.wait()
        except TimeoutError:
            # It looks for itself: not everybody who makes a unit ready can nudge it.
            self._idle.clear()

    async def _round(self) -> bool:
        """One look; true if there was something, so that there may be more."""
        self._needed.clear()
        turns = await self._steps.take(list(self._book.pipelines), BATCH, AGAIN_AFTER)
        if turns:
            await self._conduct(turns)
        now = asyncio.get_running_loop().time()
        if self._ends or (self._looking and now >= self._see_to_ends_at):
            self._see_to_ends_at = now + SEE_TO_ENDS_EVERY
            await self._see_to_ends(now)
        return bool(turns)

    async def _conduct(self, turns: Sequence[Turn]) -> None:
        depths = await self._depths.look() if any(turn.tellings for turn in turns) else {}
        results = await read_results(self._steps, self._scores.needed(turns))
        score = self._scores.written(turns, results, depths)
        if score.postponed:
            await self._steps.postpone(score.postponed, NOT_OURS)
        if score.decided:
            await self._exchange(UnitExchange(worker=self._name, number=0, decided=score.decided))
        told = [self._publish(score.messages)] if score.messages else []
        told += [self._send_abroad(score.abroad)] if score.abroad else []
        # Those who do the one can be told though those who do the other cannot.
        for outcome in await asyncio.gather(*told, return_exceptions=True):
            if outcome is not None:
                raise outcome

    async def _publish(self, messages: Sequence[tuple[UnitKey, Message]]) -> None:
        unsent = await self._unsent([message for _, message in messages])
        if unsent is not None:
            await self._steps.postpone([key for key, message in messages if unsent.concerns(message)], SOON)
            await self._make_what_is_missing()
            raise unsent.error

    async def _make_what_is_missing(self) -> None:
        """Somebody may have deleted a queue, and nobody else misses it before its consumers start anew."""
        try:
            await self._make_queues()
        except TopologyMismatch as error:
            log.warning("Steps cannot be told of, and what they need on the broker cannot be made: %s", error)

    async def _send_abroad(self, abroad: Sequence[Abroad]) -> None:
        """Units that others do are ours in the meantime, for as long as they may take."""
        now = self._clock.now()
        claimed = await self._claimed_for_others(abroad)
        if given_up := [settled for each, claim in claimed if (settled := each.given_up(claim, now)) is not None]:
            await self._exchange(UnitExchange(worker=self._name, number=0, settled=given_up))
        sent = [(claim, each.message(claim, now)) for each, claim in claimed if each.given_up(claim, now) is None]
        unsent = await self._unsent([message for _, message in sent]) if sent else None
        if unsent is not None:
            ours = [claim for claim, message in sent if unsent.concerns(message)]
            # Else nobody would be told before their time is over.
            let_go = [LetGo(hold=claim.hold) for claim in ours]
            await self._exchange(UnitExchange(worker=self._name, number=0, settled=let_go))
            await self._steps.postpone([claim.key for claim in ours], SOON)
            raise unsent.error

    async def _claimed_for_others(self, abroad: Sequence[Abroad]) -> list[tuple[Abroad, UnitClaim]]:
        claimed = []
        for lease in dict.fromkeys(each.lease for each in abroad):
            those = [each for each in abroad if each.lease == lease]
            wanted = [each.turn.key for each in those]
            answer = await self._exchange(UnitExchange(worker=self._name, number=0, wanted=wanted, lease=lease))
            pairs = zip(those, answer.claims, strict=True)
            claimed += [(each, claim) for each, claim in pairs if isinstance(claim, UnitClaim)]
        return claimed

    async def _unsent(self, messages: Sequence[Message]) -> Unsent | None:
        """Publish; what was not taken, if not all was."""
        try:
            await self._broker.publish(messages)
        except Unavailable as error:
            return Unsent(error)
        for message in messages:
            self._telemetry.sent(message)
        return None

    async def _exchange(self, exchange: UnitExchange) -> UnitExchanged:
        self._number += 1
        numbered = UnitExchange(
            worker=exchange.worker,
            number=self._number,
            settled=exchange.settled,
            decided=exchange.decided,
            wanted=exchange.wanted,
            lease=exchange.lease,
        )
        if exchange.wanted:
            # Under its number it may be repeated; else what was claimed, and not told of, were nobody's for long.
            answer = await self._insistence.until_answered(lambda: self._steps.exchange(numbered))
        else:
            answer = await self._steps.exchange(numbered)
        self.moved(answer)
        return answer

    async def _see_to_ends(self, now: float) -> None:
        self._ends = False
        if self._looking and await self._steps.reap(BATCH):
            self.nudge()
        # Events that are away do not keep letters from where they belong.
        letters = carry_run_letters(self._steps, self._dead_letters, self._telemetry)
        for outcome in await asyncio.gather(self.endings.tell(), letters, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome
        if self._looking and now >= self._forget_at:
            forgotten = await self._steps.forget(self._kept_for, BATCH)
            # Where there are more, they are not left until the next time: there would be more and more of them.
            self._forget_at = now + (FORGET_EVERY if forgotten < BATCH else 0.0)
