"""Take answers from a queue that several processes share, and note each with the job that it belongs to.

Whichever process takes an answer writes it down where the one that waits looks, so it does not matter which it is.
"""

import logging
from collections.abc import Awaitable, Callable
from inspect import Parameter
from typing import Any, TypeAlias

import msgspec

from goatherd.errors import GiveUp
from goatherd.model.admission import Append
from goatherd.model.answers import AnswerRule, members_of
from goatherd.model.envelope import Unparsable
from goatherd.model.event import Done, Progress
from goatherd.model.formats import FORMATS
from goatherd.model.retry import Retry
from goatherd.model.signature import Signature
from goatherd.model.task import TaskDefinition
from goatherd.ports.clock import Clock
from goatherd.ports.events import Events
from goatherd.ports.telemetry import Telemetry

#: Opens the store of events at first use.
EventsOpener: TypeAlias = Callable[[], Awaitable[Events]]

log = logging.getLogger("goatherd.calls")


def taking_answers(rule: AnswerRule, open_events: EventsOpener, clock: Clock, telemetry: Telemetry) -> TaskDefinition:
    """The task that does it; one that fails is tried again like any job, and what nobody can read is a dead letter."""

    async def take(body: msgspec.Raw, /) -> None:
        try:
            job_id, last = rule.job_of(bytes(body))
        except Unparsable as error:
            raise GiveUp(str(error)) from error
        events = await open_events()
        if await events.state(job_id) is None:
            telemetry.stray_reply("foreign")
            return
        now = clock.now()
        event = Done(attempt=0, at=now, result=body) if last else _progress(body, now)
        outcome = await events.append(job_id, Append(events=[event]))
        if outcome.answer == "closed":
            telemetry.stray_reply("late")
        log.debug("Answer to %s", job_id, extra={"job_id": job_id, "last": last})

    parameter = Parameter("body", Parameter.POSITIONAL_ONLY)
    signature = Signature(rule.queue, [parameter], {"body": msgspec.Raw}).taking_whole_body()
    return TaskDefinition(
        name=rule.queue,
        function=take,
        queue=rule.queue,
        format=FORMATS["plain"],
        signature=signature,
        wants="nothing",
        place="loop",
        retry=Retry(10, max=60, give_up_on=GiveUp),
        timeout=None,
        deadline=None,
        priority=0,
        concurrency=None,
        remote=False,
        answers=None,
    )


def _progress(body: msgspec.Raw, now: float) -> Progress:
    members: dict[str, Any] = dict(members_of(bytes(body)))
    percent = members.get("percent")
    return Progress(
        attempt=0,
        at=now,
        stage=str(members.get("stage", "answer")),
        status=str(members.get("status", "")),
        percent=float(percent) if isinstance(percent, int | float) else None,
        fields=members,
    )
