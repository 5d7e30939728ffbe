"""One try of one job: read it, see whether it may start, run it, settle it."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from goatherd.engine.admission import Admission, Admitted, Rules, crashed, deaths_of, expired
from goatherd.engine.answers import Answers, for_caller
from goatherd.engine.catalogue import Catalogue
from goatherd.engine.cutoff import Cutoff
from goatherd.engine.effects import after_effect, with_ticket
from goatherd.engine.emitter import Emitter, Voice
from goatherd.engine.emitters import Emitters
from goatherd.engine.held_unit import HeldUnit, voice_of
from goatherd.engine.means import Means
from goatherd.engine.outcomes import limit_of, outcome_of
from goatherd.engine.processes import Child, ChildDied, RemoteFault
from goatherd.engine.remembered import Remembered
from goatherd.engine.runner import Runner
from goatherd.engine.settling import Settling
from goatherd.engine.traced_voice import traced_voice
from goatherd.engine.tracking import Tracking
from goatherd.model.formats import Work
from goatherd.model.message import DEATHS, Delivery, count_of
from goatherd.model.verdict import (
    Again,
    Answered,
    Dead,
    Done,
    Dropped,
    Fault,
    HandedBack,
    Verdict,
    after_fault,
    dead,
)
from goatherd.ports.broker import Source, Subscription
from goatherd.ports.tracer import Span, Tracer

log = logging.getLogger("goatherd.worker")


class Attempts:
    """Makes the attempts of one worker."""

    def __init__(
        self,
        means: Means,
        catalogue: Catalogue,
        runner: Runner,
        rules: Rules,
        emitters: Emitters,
        source: Source | None = None,
    ) -> None:
        self._source: Source = source or means.broker
        self._broker = means.broker
        self._courier = means.courier
        self._clock = means.clock
        self._telemetry = means.telemetry
        self._tracer = means.tracer
        self._answers = Answers(means, self._source)
        self.catalogue = catalogue
        self._runner = runner
        self._rules = rules
        self._admission = Admission(catalogue, means.clock, rules)
        #: Calls whose callers have given up.
        self._given_up = Remembered()
        self._tracking = Tracking(emitters, rules.payload_limit)
        self._settling = Settling(means, self._source, catalogue, self._answers, self._tracking.mark)
        self._leaving = False

    async def finish(self, deadline: float) -> None:
        """Return when every answer that was given is safe, and what became of tracked jobs is written."""
        try:
            async with asyncio.timeout(deadline):
                await self._answers.settled()
        except TimeoutError:
            log.warning("Some answers were not confirmed in time; their calls may be done again by others")
        await self._tracking.close(deadline)

    def leave(self) -> None:
        """This worker ends now: a cancelled attempt is for others, and nothing is repeated."""
        self._leaving = True
        self._settling.leave()

    def admit(self, delivery: Delivery) -> Admitted | Verdict:
        """Read a delivery: a job that may start, or what becomes of it instead."""
        if delivery.message.id in self._given_up:
            if delivery.message.reply_to:
                return Answered(outcome="cancelled", why="its caller gave up before it started")
            if self._tracking.concerns(delivery.message):
                return Dropped(outcome="cancelled", why="it was cancelled before it started")
        if isinstance(delivery.tag, HeldUnit):
            return delivery.tag.admit(self._rules, self._clock.now())
        return with_ticket(self._admission.admit(delivery), delivery)

    async def hear_call_offs(self, queues: Sequence[str], called_off: Callable[[str], None]) -> Subscription:
        """Be told of calls that nobody waits for any more."""
        return await self._courier.hear_call_offs(queues, called_off)

    def call_off(self, job_id: str) -> None:
        """A call's caller has given up, or a tracked job is cancelled; whoever runs it stops."""
        self._given_up.add(job_id)
        self._tracking.stop(job_id)

    def make(self, delivery: Delivery, admitted: Admitted) -> Coroutine[Any, Any, object]:
        """Run the job's code and settle the delivery."""
        if self._tracer is None:
            return self._make(delivery, admitted)
        return self._make_traced(delivery, admitted, self._tracer)

    async def _make_traced(self, delivery: Delivery, admitted: Admitted, tracer: Tracer) -> None:
        span = tracer.attempt(delivery.message, admitted.task, admitted.work)
        try:
            span.ended(await self._make(delivery, admitted, span))
        except BaseException as error:
            span.failed(error)
            raise
        finally:
            span.end()

    async def _make(self, delivery: Delivery, admitted: Admitted, span: Span | None = None) -> Verdict:
        """The same; tells what became of the job."""
        if self._source.is_lost(delivery):
            # It waited here while the connection was lost, so others have it, or it comes here again.
            lost = HandedBack()
            await self.settle(delivery, lost)
            return lost
        task, work = admitted.task, admitted.work
        story: Emitter | None = None
        if task.tracked or self._tracking.concerns(delivery.message):
            begun = await self._begin_story(delivery, admitted)
            if begun is not None and not isinstance(begun, Emitter):
                await self._carry_out(delivery, begun, work)
                return begun
            story = begun
        started = self._clock.now()
        self._telemetry.started(task.queue, task.name, work, max(0.0, started - delivery.accepted))
        self._source.begin(delivery)
        try:
            verdict = await self._run(delivery, admitted, started, story, span)
            if admitted.ticket is not None:
                verdict = await after_effect(verdict, delivery, admitted.ticket)
        finally:
            self._source.end(delivery)
        if story is not None:
            if isinstance(verdict, Dead) and self._source.is_lost(delivery):
                # Others have it, or get it, so it is not the job that has failed but only this attempt.
                verdict = HandedBack()
            verdict = await self._tracking.end(story, verdict, admitted)
        if delivery.message.reply_to:
            verdict = for_caller(verdict, task, work)
        self._telemetry.ended(task.queue, task.name, work, outcome_of(verdict), self._clock.now() - started)
        await self._carry_out(delivery, verdict, work, admitted)
        return verdict

    async def settle(self, delivery: Delivery, verdict: Verdict, work: Work | None = None) -> None:
        """What becomes of a delivery whose job did not run, or on which we failed ourselves."""
        if isinstance(verdict, Dead) and not isinstance(delivery.tag, HeldUnit):
            await self._note_death(delivery, verdict)
        await self._carry_out(delivery, verdict, work)

    async def _begin_story(self, delivery: Delivery, admitted: Admitted) -> Emitter | Verdict | None:
        """What writes the attempt down, or what becomes of the job instead; None if it is done unseen."""
        try:
            begun = await self._tracking.begin(delivery.message, admitted)
        except asyncio.CancelledError:
            stopped = self._after_our_stop(delivery, None)
            if stopped is None:
                raise
            return stopped
        if delivery.message.reply_to:
            # Somebody waits for an answer, and what was written down before is none.
            return begun if isinstance(begun, Emitter) else None
        if isinstance(begun, Emitter) and admitted.work.job_id in self._given_up:
            # It was cancelled while its beginning was written.
            cancelled = Dropped(outcome="cancelled", why="it was cancelled as it started")
            return await self._tracking.end(begun, cancelled, admitted)
        return begun

    async def _note_death(self, delivery: Delivery, dead_one: Dead) -> None:
        known = self._admission.recognise(delivery)
        if self._tracking.concerns(delivery.message) or (known is not None and known[1].tracked):
            job_id = known[0].job_id if known is not None else delivery.message.id
            await self._tracking.died(job_id, dead_one.burial)

    async def _carry_out(
        self, delivery: Delivery, verdict: Verdict, work: Work | None, admitted: Admitted | None = None
    ) -> None:
        await self._settling.carry_out(delivery, verdict, work, admitted)

    async def _run(
        self, delivery: Delivery, admitted: Admitted, started: float, story: Emitter | None, span: Span | None
    ) -> Verdict:
        task, voice = admitted.task, traced_voice(story or voice_of(delivery), span)
        try:
            if task.place != "process":
                if task.timeout is None and admitted.work.deadline is None:
                    return Done(result=await self._runner.run(admitted, None, None, voice))
                return await self._run_within_limit(delivery, admitted, started, None, voice)
            # A process that starts and imports the user's program takes no time from the job.
            async with self._runner.child_for(admitted.task) as child:
                return await self._run_within_limit(delivery, admitted, self._clock.now(), child, voice)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a task raises is its failure, not ours
            # Whatever code raises that was told to stop, it is no failure of the job.
            told = isinstance(error, asyncio.CancelledError) or self._tracking.was_stopped(story)
            stopped = self._after_our_stop(delivery, story) if told else None
            return stopped or self._after(error, delivery, admitted)

    def _after_our_stop(self, delivery: Delivery, story: Emitter | None) -> Verdict | None:
        """What becomes of a job whose code was cancelled by us; None if it was not."""
        if delivery.message.reply_to and delivery.message.id in self._given_up:
            return Answered(outcome="cancelled", why="its caller gave up while it ran")
        if self._tracking.was_stopped(story):
            return Dropped(outcome="cancelled", why="it was cancelled while it ran")
        # A lane that was lost is with others, who do what this attempt was told to leave.
        return HandedBack() if self._leaving or self._source.is_lost(delivery) else None

    async def _run_within_limit(
        self, delivery: Delivery, admitted: Admitted, started: float, child: Child | None, voice: Voice | None
    ) -> Verdict:
        task, work = admitted.task, admitted.work
        limit, is_deadline = limit_of(task, work, started)
        if limit is None:
            return Done(result=await self._runner.run(admitted, None, child, voice))
        if limit <= 0:
            return expired("its deadline passed while it waited for its turn", work.failures, started)
        with Cutoff(limit, f"{task.name}[{work.job_id}]") as cutoff:
            return Done(result=await self._runner.run(admitted, started + limit, child, voice))
        assert cutoff.expired, "only a cut-off leaves the block without a result"
        return self._cut_off(delivery, admitted, limit, is_deadline=is_deadline)

    def _after(self, error: BaseException, delivery: Delivery, admitted: Admitted) -> Verdict:
        work, retry = admitted.work, admitted.task.retry
        if isinstance(error, ChildDied):
            return self._child_died(error, delivery, work)
        fault = error.fault if isinstance(error, RemoteFault) else Fault.of(error, retry)
        if fault.fenced == "newer" and admitted.ticket is not None:
            admitted.ticket.refused = True
        return self._after_fault(fault, delivery, admitted)

    def _after_fault(self, fault: Fault, delivery: Delivery, admitted: Admitted) -> Verdict:
        work, now = admitted.work, self._clock.now()
        if delivery.message.reply_to and fault.fenced is None:
            # Whoever waits for it is told at once and decides whether to ask again.
            return dead("failed", fault.error_type, fault.message, work.attempt, now, fault.traceback)
        return after_fault(fault, work, admitted.task.retry, now)

    def _cut_off(self, delivery: Delivery, admitted: Admitted, limit: float, *, is_deadline: bool) -> Verdict:
        if is_deadline:
            return expired("its deadline passed while it ran", admitted.work.attempt, self._clock.now())
        error = TimeoutError(f"the attempt took longer than its time-out of {limit:g} s")
        return self._after_fault(Fault.of(error, admitted.task.retry), delivery, admitted)

    def _child_died(self, error: ChildDied, delivery: Delivery, work: Work) -> Verdict:
        if deaths_of(delivery) + 1 >= self._rules.most_deaths:
            return crashed(deaths_of(delivery) + 1, work, self._clock.now(), str(error))
        deaths = count_of(delivery.message.headers, DEATHS) + 1
        return Again(delay=0, failures=work.failures, why=str(error), headers={DEATHS: deaths})
