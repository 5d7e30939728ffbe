"""Read a delivery and decide whether the job in it may start."""

from dataclasses import dataclass

import msgspec

from goatherd.engine.answers import end_for_caller
from goatherd.engine.catalogue import Catalogue
from goatherd.engine.ticket import Ticket
from goatherd.model.envelope import FromTheFuture, Unparsable
from goatherd.model.formats import Work, failures_of
from goatherd.model.message import DEATHS, Delivery, Message, count_of
from goatherd.model.signature import Arguments, Misfit
from goatherd.model.task import TaskDefinition
from goatherd.model.verdict import Dead, Verdict, dead, refused
from goatherd.ports.clock import Clock


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What holds for every job of a worker."""

    #: Worker deaths after which a job is given up.
    most_deaths: int = 3
    #: Seconds for which jobs of unknown tasks or arguments are offered to other workers.
    deploy_grace: float = 600.0
    #: Bytes that a result may take which is written down.
    payload_limit: int = 1024 * 1024


class Admitted(msgspec.Struct, frozen=True, kw_only=True):
    """A job that may start."""

    task: TaskDefinition
    work: Work
    arguments: Arguments
    #: What a keyed job shows to have its effect.
    ticket: Ticket | None = None


class Admission:
    """Admits the jobs of one worker."""

    def __init__(self, catalogue: Catalogue, clock: Clock, rules: Rules) -> None:
        self._catalogue = catalogue
        self._clock = clock
        self._rules = rules

    def admit(self, delivery: Delivery) -> Admitted | Verdict:
        """A job that may start, or what becomes of it instead."""
        admitted = self._read(delivery)
        if delivery.message.reply_to and isinstance(admitted, Dead):
            message = delivery.message
            return end_for_caller(admitted.burial, self._catalogue.format_of(message.queue), message.id)
        return admitted

    def recognise(self, delivery: Delivery) -> tuple[Work, TaskDefinition] | None:
        """The job in a delivery and its task, also where it may not start; None if either is not known here."""
        message = delivery.message
        try:
            work = self._catalogue.format_of(message.queue).decode(delivery)
        except (Unparsable, FromTheFuture):
            return None
        task = self._catalogue.find(message.queue, work)
        return None if task is None else (work, task)

    def _read(self, delivery: Delivery) -> Admitted | Verdict:
        message, now = delivery.message, self._clock.now()
        try:
            work = self._catalogue.format_of(message.queue).decode(delivery)
        except Unparsable as error:
            return dead("unparsable", "Unparsable", str(error), failures_of(message.headers), now)
        except FromTheFuture as error:
            failures = failures_of(message.headers)
            return refused("unparsable", str(error), message.headers, failures, now, self._rules.deploy_grace)
        deaths = deaths_of(delivery)
        if deaths >= self._rules.most_deaths:
            return crashed(deaths, work, now)
        if work.deadline is not None and work.deadline <= now:
            text = f"its deadline passed {now - work.deadline:.1f} s before a worker could start it"
            return expired(text, work.failures, now)
        return self._for_task(message, work, now)

    def _for_task(self, message: Message, work: Work, now: float) -> Admitted | Verdict:
        grace = self._rules.deploy_grace
        task = self._catalogue.find(message.queue, work)
        if task is None:
            text = f"no task {work.task or message.queue!r} here; this worker has {self._catalogue.names()}"
            return refused("unknown_task", text, message.headers, work.failures, now, grace)
        try:
            payload = task.signature.by_name(work.positional, work.payload) if work.positional else work.payload
            arguments = task.signature.decode(payload)
        except Misfit as misfit:
            if misfit.unknown:
                return refused("invalid", str(misfit), message.headers, work.failures, now, grace)
            return dead("invalid", "InvalidArguments", str(misfit), work.failures, now)
        return Admitted(task=task, work=work, arguments=arguments)


def deaths_of(delivery: Delivery) -> int:
    """How many workers and child processes died while they ran the job."""
    return delivery.deaths + count_of(delivery.message.headers, DEATHS)


def expired(text: str, attempts: int, now: float) -> Dead:
    """What becomes of a job that nobody wants any more."""
    return dead("expired", "JobExpired", text, attempts, now)


def crashed(deaths: int, work: Work, now: float, last: str = "") -> Dead:
    """What becomes of a job that has killed too many processes."""
    text = f"{deaths} processes died while they ran it{last and ': '}{last}"
    return dead("crashed", "WorkerDied", text, work.failures + deaths, now)
