"""Carry out what was decided about a delivery."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import msgspec

from goatherd.engine.admission import Admitted
from goatherd.engine.answers import Answers
from goatherd.engine.catalogue import Catalogue
from goatherd.engine.held_unit import HeldUnit
from goatherd.engine.means import Means
from goatherd.engine.outcomes import tell_again
from goatherd.errors import Unavailable
from goatherd.model.formats import Work
from goatherd.model.message import LANE, TRACKED, UNIQUE, Delivery, Message
from goatherd.model.verdict import Again, Answered, Dead, Done, Dropped, HandedBack, Verdict, headers_for
from goatherd.ports.broker import Source

#: Seconds between two attempts to tell a broker that is away what became of a job.
SETTLE_AGAIN_AFTER = 1.0

log = logging.getLogger("goatherd.worker")


class Settling:
    """Settles the deliveries of one worker. `mark` is what messages of tracked jobs carry."""

    def __init__(self, means: Means, source: Source, catalogue: Catalogue, answers: Answers, mark: str) -> None:
        self._source = source
        self._clock = means.clock
        self._telemetry = means.telemetry
        self._release = means.release
        self._catalogue = catalogue
        self._answers = answers
        self._mark = mark
        self._leaving = False

    def leave(self) -> None:
        """This worker ends now: nothing is repeated."""
        self._leaving = True

    async def carry_out(
        self, delivery: Delivery, verdict: Verdict, work: Work | None, admitted: Admitted | None = None
    ) -> None:
        """Tell where it came from; while that is away, again and again. `admitted` is given if its code has run."""
        if isinstance(delivery.tag, HeldUnit):
            delivery.tag.end_with(verdict, admitted)
        else:
            if UNIQUE in delivery.message.headers:
                await self._let_go(delivery, verdict, has_run=admitted is not None)
            await self._tell_source(delivery, verdict, work)

    async def _tell_source(self, delivery: Delivery, verdict: Verdict, work: Work | None) -> None:
        match verdict:
            case Done():
                self._source.ack(delivery)
            case Dropped(outcome=outcome, why=why):
                log.info("Job %s is dropped (%s): %s", delivery.message.id, outcome, why)
                self._source.ack(delivery)
            case Answered():
                self._answers.give(delivery, verdict)
            case HandedBack():
                await self._insist(lambda: self._source.hand_back([delivery]))
            case Again():
                tell_again(verdict, delivery, work)
                following = self._following(delivery.message, verdict, work)
                await self._insist(lambda: self._source.replace(delivery, following))
            case Dead(burial=burial):
                message = delivery.message
                name = (work.task if work is not None else None) or message.task
                told = "a dead letter" if LANE not in message.headers else "given up"
                log.error("%s[%s] is %s (%s): %s", name or "?", message.id, told, burial.reason, burial.message)
                await self._insist(lambda: self._source.bury(delivery, burial))
                if LANE not in message.headers:
                    # One that leaves its lane is counted by whoever takes it to the dead letters.
                    self._telemetry.buried(message.queue, name or "", message.id, burial.reason)

    async def _let_go(self, delivery: Delivery, verdict: Verdict, *, has_run: bool) -> None:
        """The only job of its kind has ended. Said before it is gone, so that whoever gets it again says so too."""
        # One that leaves its lane is let go of by whoever takes it to the dead letters.
        is_over = isinstance(verdict, Dropped) or (
            has_run if isinstance(verdict, Done) else isinstance(verdict, Dead) and LANE not in delivery.message.headers
        )
        if is_over and self._release is not None and not self._source.is_lost(delivery):
            await self._release(delivery.message)

    def _following(self, message: Message, again: Again, work: Work | None) -> Message:
        format_of_queue = self._catalogue.format_of(message.queue)
        body = message.body
        if not again.refused and again.failures:
            body = format_of_queue.for_attempt(body, again.failures + 1)
        # A stranger may have sent it without an id; every attempt has the one that the first was given.
        job_id = message.id or (work.job_id if work is not None else "")
        due = self._clock.now() + again.delay
        headers = headers_for(again, message.headers)
        task = None if work is None else self._catalogue.find(message.queue, work)
        if task is not None and task.tracked:
            # A stranger who sent it did not say so, but its events have begun, and must come to an end.
            headers = {**headers, TRACKED: self._mark}
        return msgspec.structs.replace(message, id=job_id, body=body, due=due, headers=headers)

    async def _insist(self, tell: Callable[[], Awaitable[None]]) -> None:
        """What was decided is not lost while the broker is away: the delivery stays ours until it knows."""
        told = False
        while True:
            try:
                return await tell()
            except Unavailable as error:
                if self._leaving:
                    log.warning("The broker cannot be told what became of a job, so others get it again: %s", error)
                    return None
                if not told:
                    log.warning("The broker cannot be told what became of a job; trying until it can: %s", error)
                    told = True
                await asyncio.sleep(SETTLE_AGAIN_AFTER)
