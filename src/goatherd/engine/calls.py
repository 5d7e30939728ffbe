"""The caller's side of a call: ask, wait for the answer until the deadline, and end in exactly one way."""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from goatherd.engine.context import current
from goatherd.engine.enqueue import Sender
from goatherd.engine.means import Means
from goatherd.engine.remembered import Remembered
from goatherd.engine.traced import traced_sending
from goatherd.engine.tracked import Tracked, failure_of
from goatherd.errors import CallTimeout, JobFailed, Refused, Unavailable
from goatherd.model import reply
from goatherd.model.job import AnyJob
from goatherd.model.message import Delivery
from goatherd.ports.calls import Replies
from goatherd.ports.telemetry import CallOutcome

log = logging.getLogger("goatherd.calls")


@dataclass(frozen=True, kw_only=True)
class Manners:
    """What the settings say about calls."""

    deadline: float
    in_flight: int
    exclusive: bool = False


class Pending:
    """One call that waits; satisfies `Receipt`."""

    __slots__ = ("_answer", "_job", "_seconds", "accepted")

    def __init__(self, job: AnyJob, seconds: float) -> None:
        self._job = job
        self._seconds = seconds
        self._answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.accepted = False

    def answer(self) -> "asyncio.Future[bytes]":
        """To be waited for."""
        return self._answer

    def taken(self) -> None:
        self.accepted = True

    def failed(self, error: Exception) -> None:
        if not self._answer.done():
            self._answer.set_exception(error)

    def lost(self, error: JobFailed) -> None:
        """It ended without an answer."""
        if not self._answer.done():
            self._answer.set_exception(error)

    def answered(self, body: bytes) -> None:
        """It has come, perhaps before the broker's word that the request was accepted."""
        self.accepted = True
        if not self._answer.done():
            self._answer.set_result(body)

    def time_is_up(self) -> None:
        """Nobody answered: say whether somebody could have."""
        if self._answer.done():
            return
        job, queue = f"{self._job.definition.name}[{self._job.id}]", self._job.definition.queue
        if self.accepted:
            told = (
                f"No answer to {job} within {self._seconds:g} s. It was accepted: its worker is slow or dead, or none "
                f"takes from queue {queue!r}. Check `goatherd queues list`, or give the call a longer deadline."
            )
            self._answer.set_exception(CallTimeout(self._job.id, told))
        else:
            told = (
                f"The call {job} was not accepted within its {self._seconds:g} s: the broker is away or does not "
                f"confirm. It is safe to try again."
            )
            self._answer.set_exception(Unavailable(told, jobs=[self._job.id]))


class Calls:
    """The calls of one process that wait for their answers, on one queue for all of them."""

    def __init__(self, means: Means, sender: Sender, tracked: Tracked, manners: Manners) -> None:
        self._broker = means.broker
        self._courier = means.courier
        self._clock = means.clock
        self._telemetry = means.telemetry
        self._sender = sender
        self._tracked = tracked
        self._manners = manners
        self._pending: dict[str, Pending] = {}
        self._waiting_elsewhere = 0
        #: To tell an answer that comes late from one that was never for us.
        self._ended = Remembered()
        self._replies: Replies | None = None
        self._opening = asyncio.Lock()

    @property
    def in_flight(self) -> int:
        """How many wait now."""
        return len(self._pending) + self._waiting_elsewhere

    @property
    def reply_queue(self) -> str | None:
        """The queue for answers, once there is one."""
        return None if self._replies is None else self._replies.queue

    async def open(self) -> None:
        """Have the queue for answers now, where a contract says that it is made at the start; raises Unavailable."""
        if self._manners.exclusive:
            await self._listen(self._manners.deadline)

    def call(self, job: AnyJob) -> Coroutine[Any, Any, object]:
        """The task's result; raises JobFailed, CallTimeout, Unavailable or Refused."""
        return traced_sending(self._sender.tracer, "call", [job], self._call(job))

    async def _call(self, job: AnyJob) -> object:
        self._check(job)
        began = self._clock.now()
        outcome: CallOutcome = "cancelled"
        try:
            self._refuse_more_than_allowed(job)
            seconds = self._seconds_for(job, began)
            if job.definition.answers is None:
                body = await self._ask(job, began, seconds)
            else:
                body = await self._ask_service(job, began, seconds)
            result = reply.read(job.id, body, job.definition.signature, bare=job.definition.format.name == "plain")
            outcome = "answered"
        except JobFailed:
            outcome = "failed"
            raise
        except CallTimeout:
            outcome = "timeout"
            raise
        except Unavailable as error:
            outcome = "refused" if isinstance(error, Refused) else "unavailable"
            raise
        finally:
            definition = job.definition
            self._telemetry.called(definition.queue, definition.name, outcome, self._clock.now() - began)
        return result

    def give_up(self, job_id: str, error: Exception) -> None:
        """Let whoever waits for that job have this error; nothing happens if nobody does."""
        pending = self._pending.get(job_id)
        if pending is not None:
            pending.failed(error)

    async def close(self) -> None:
        """Take no more answers; whoever still waits is told."""
        for pending in self._pending.values():
            pending.failed(Unavailable("The app was closed before the answer came."))
        if self._replies is not None:
            await self._replies.stop()

    async def _ask(self, job: AnyJob, now: float, seconds: float) -> bytes:
        queue = self.reply_queue
        if not queue:
            queue = await self._listen(seconds)
            # Others may have begun while there was no queue for answers.
            self._check(job)
            self._refuse_more_than_allowed(job)
        message = self._sender.request(job, now + seconds, queue)
        pending = self._pending[job.id] = Pending(job, seconds)
        timer = self._clock.call_at(now + seconds, pending.time_is_up)
        try:
            if job.lane is None:
                if job.definition.family is not None:
                    await self._sender.doors.open([message])
                self._courier.post(message, pending)
            else:
                await self._sender.ask_in_lane(job, message, pending)
            log.debug("Asked %s[%s], answer to %s", job.definition.name, job.id, message.reply_to,
                      extra={"job_id": job.id, "task": job.definition.name, "reply_to": message.reply_to})  # fmt: skip
            return await pending.answer()
        except Unavailable:
            # Its queue may have been deleted.
            self._sender.doors.closed([message])
            raise
        except asyncio.CancelledError:
            for queue in job.definition.known_as:
                self._courier.call_off(queue, job.id)
            raise
        finally:
            timer.cancel()
            del self._pending[job.id]
            self._ended.add(job.id)
            if pending.accepted:
                self._telemetry.sent(message)

    async def _ask_service(self, job: AnyJob, now: float, seconds: float) -> bytes:
        """Ask one that answers on a queue which others share too; whoever takes the answer notes it with the job."""
        pending = Pending(job, seconds)
        timer = self._clock.call_at(now + seconds, pending.time_is_up)
        waiting = asyncio.create_task(self._wait_for_end(job, now + seconds, pending), name=f"goatherd call {job.id}")
        self._waiting_elsewhere += 1
        try:
            return await pending.answer()
        except CallTimeout as error:
            # What comes now comes late, and whoever looks at the job is told that nobody waits for it.
            await self._tracked.expire(job.id, str(error))
            raise
        finally:
            timer.cancel()
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            self._waiting_elsewhere -= 1

    async def _wait_for_end(self, job: AnyJob, deadline: float, pending: Pending) -> None:
        try:
            await self._tracked.start(job, deadline)
            pending.taken()
            state = await self._tracked.end(job.id)
        except Unavailable as error:
            pending.failed(error)
        else:
            pending.answered(state.result) if state.result is not None else pending.lost(failure_of(job.id, state))

    def _check(self, job: AnyJob) -> None:
        """Raise ValueError for a call that makes no sense."""
        if job.options.due(0.0) is not None:
            raise ValueError("A call is made now: delay= and at= are for `send`.")
        if job.options.within is not None:
            raise ValueError("A call is answered now, before a transaction is committed: within= is for `send`.")
        if job.options.unique is not None:
            raise ValueError("Every call has an answer of its own: unique= is for `send` and `start`.")
        if job.id in self._pending:
            raise ValueError(
                f"A call with id={job.id!r} already waits for its answer; give each call an id of its own."
            )

    def _refuse_more_than_allowed(self, job: AnyJob) -> None:
        most = self._manners.in_flight
        if self.in_flight >= most:
            raise Refused(
                f"{most} calls of this process already wait for their answers, so {job.definition.name!r} was not "
                f"called. Call less at once, or raise GOATHERD_CALLS_IN_FLIGHT.",
                limit="calls_in_flight",
                jobs=[job.id],
            )

    def _seconds_for(self, job: AnyJob, now: float) -> float:
        """How long to wait: what was said, but no longer than the job in which this call is made may take."""
        told = job.options.deadline if job.options.deadline is not None else job.definition.deadline
        seconds = self._manners.deadline if told is None else told
        calling = current.get()
        left = None if calling is None else calling.remaining
        if left is not None and left < seconds:
            seconds = left
        if seconds <= 0:
            raise CallTimeout(
                job.id, f"No time is left to call {job.definition.name!r}: the calling job's own is over."
            )
        return seconds

    async def _listen(self, seconds: float) -> str:
        """Have a queue for answers; returns its name."""
        try:
            async with asyncio.timeout(seconds):
                async with self._opening:
                    if self._replies is None:
                        self._replies = await self._open_replies()
                return await self._replies.named()
        except TimeoutError as error:
            raise Unavailable(f"There was no queue for answers within {seconds:g} s, so nothing was called.") from error

    async def _open_replies(self) -> Replies:
        replies = await self._courier.listen_for_replies(self._take, exclusive=self._manners.exclusive)
        log.info("Answers come to queue %s", replies.queue, extra={"reply_to": replies.queue})
        return replies

    def _take(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            message = delivery.message
            job_id = message.correlation_id or message.id
            pending = self._pending.get(job_id)
            if pending is not None:
                pending.answered(message.body)
                log.debug("Answer to %s", job_id, extra={"job_id": job_id})
            else:
                # Comes here after a time-out, after a cancelled call, and a second time after a redelivery.
                self._telemetry.stray_reply("late" if job_id in self._ended else "foreign")
            self._broker.ack(delivery)
        if deliveries:
            self._telemetry.took_answers(deliveries[0].message.queue, len(deliveries))
