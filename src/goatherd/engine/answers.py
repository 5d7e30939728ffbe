"""The worker's side of a call: what becomes of a job goes to the one who waits for it, and nowhere else.

A failure is told at once, not tried again and not kept: the caller has the error and decides. Only what nobody could
read is kept, for whoever sent it will not be told what was wrong with it.
"""

import asyncio
import logging

from goatherd.engine.means import Means
from goatherd.errors import Unavailable
from goatherd.model import reply
from goatherd.model.dead_letter import Burial
from goatherd.model.formats import Format, Work
from goatherd.model.message import Delivery, Message
from goatherd.model.retry import Retry
from goatherd.model.task import TaskDefinition
from goatherd.model.verdict import Answered, Dead, Done, Fault, Verdict
from goatherd.ports.broker import Source
from goatherd.ports.clock import Timer
from goatherd.ports.telemetry import AnswerOutcome

#: Seconds after which an answer is posted again that a broker which is away did not take.
AGAIN_AFTER = 1.0

log = logging.getLogger("goatherd.calls")


def for_caller(verdict: Verdict, task: TaskDefinition, work: Work) -> Verdict:
    """What becomes of a job that somebody waits for; where only others can do it, it stays what it is."""
    match verdict:
        case Done():
            return _result(task, work, verdict)
        case Dead(burial=burial):
            return end_for_caller(burial, task.format, work.job_id)
    return verdict


def end_for_caller(burial: Burial, format_of_queue: Format, job_id: str) -> Verdict:
    """What becomes of a job that somebody waits for, where it would be a dead letter if nobody did."""
    if burial.reason == "expired":
        return Answered(outcome="expired", why=burial.message)
    told = format_of_queue.name != "plain" or burial.reason not in ("invalid", "unknown_task")
    if burial.reason == "unparsable" or not told:
        return Dead(burial=burial)
    return _failure(format_of_queue, job_id, burial.error_type, burial.message, burial.traceback)


def _result(task: TaskDefinition, work: Work, done: Done) -> Answered:
    """The answer of a task that returned; a result that is not known, or cannot be written, is its failure."""
    if done.lost and not task.signature.may_give_nothing:
        return _failure(task.format, work.job_id, "ResultLost", done.lost, "")
    try:
        result = task.signature.encode_result(done.result)
    except Exception as error:  # noqa: BLE001 - the user's own types may raise anything while they are written
        fault = Fault.of(error, Retry())
        told = f"its result cannot be written as JSON: {fault.message}"
        return _failure(task.format, work.job_id, fault.error_type, told, fault.traceback)
    bare = task.format.name == "plain"
    return Answered(outcome="done", body=result if bare else reply.of_result(work.job_id, result))


def _failure(format_of_queue: Format, job_id: str, error_type: str, message: str, traceback: str) -> Answered:
    # In plain format a reader could not tell a failure from a result, so it is not answered.
    bare = format_of_queue.name == "plain"
    body = None if bare else reply.of_failure(job_id, error_type, message, traceback)
    return Answered(outcome="failed", body=body, why=f"{error_type}: {message}")


class Answers:
    """Sends the answers of one worker; a request is settled when its answer is safe."""

    def __init__(self, means: Means, source: Source) -> None:
        self._courier = means.courier
        self._broker = means.broker
        self._source = source
        self._telemetry = means.telemetry
        self._clock = means.clock
        self._on_their_way = 0
        self._to_post_again: dict[_Waybill, Timer] = {}
        self._leaving = False
        self._all_settled = asyncio.Event()
        self._all_settled.set()

    def give(self, delivery: Delivery, answer: Answered) -> None:
        """Answer, and settle the request as soon as the broker has the answer."""
        message = delivery.message
        if answer.outcome != "done":
            log.warning("The call %s[%s] %s: %s", message.task or "?", message.id, answer.outcome, answer.why)
        if answer.body is None:
            if answer.outcome in ("expired", "cancelled"):
                self._telemetry.answered(message.queue, answer.outcome)
            self._source.ack(delivery)
            return
        self._on_their_way += 1
        self._all_settled.clear()
        self._post(_Waybill(self, delivery, _addressed(message, answer.body)))

    async def settled(self) -> None:
        """Return when every answer is safe, or lost for good; what the broker has not taken by now is for others."""
        self._leaving = True
        for waybill, timer in list(self._to_post_again.items()):
            timer.cancel()
            self._ended(waybill, "undeliverable")
        await self._all_settled.wait()

    def arrived(self, waybill: "_Waybill") -> None:
        """The broker has the answer."""
        self._source.ack(waybill.delivery)
        self._ended(waybill, "given")

    def not_taken(self, waybill: "_Waybill", error: Unavailable) -> None:
        """The caller is gone, and nobody can be told any more; or the broker is, and may come back in time."""
        if self._is_worth_another_try(waybill.delivery.message):
            # The request would come again, but not be done again where its work is known to be done.
            again = self._clock.now() + AGAIN_AFTER
            self._to_post_again[waybill] = self._clock.call_at(again, lambda: self._post(waybill))
            return
        log.info("The answer to %s was not delivered: %s", waybill.delivery.message.id, error)
        self._source.ack(waybill.delivery)
        self._ended(waybill, "undeliverable")

    def _post(self, waybill: "_Waybill") -> None:
        self._to_post_again.pop(waybill, None)
        self._courier.post(waybill.answer, waybill)

    def _is_worth_another_try(self, request: Message) -> bool:
        in_time = request.expires is None or request.expires > self._clock.now()
        return in_time and self._broker.state != "up" and not self._leaving

    def _ended(self, waybill: "_Waybill", outcome: AnswerOutcome) -> None:
        self._telemetry.answered(waybill.delivery.message.queue, outcome)
        self._to_post_again.pop(waybill, None)
        self._on_their_way -= 1
        if not self._on_their_way:
            self._all_settled.set()


class _Waybill:
    """Satisfies `Receipt` for one answer."""

    __slots__ = ("_answers", "answer", "delivery")

    def __init__(self, answers: Answers, delivery: Delivery, answer: Message) -> None:
        self._answers = answers
        self.delivery = delivery
        self.answer = answer

    def taken(self) -> None:
        self._answers.arrived(self)

    def failed(self, error: Unavailable) -> None:
        self._answers.not_taken(self, error)


def _addressed(request: Message, body: bytes) -> Message:
    # It has the request's own id: one that is made longer might be too long for a broker.
    return Message(
        id=request.id, queue=request.reply_to, body=body, correlation_id=request.correlation_id or request.id
    )
