"""Do something in a span, where anybody wants traces; elsewhere it costs one look."""

from collections.abc import Coroutine, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from goatherd.model.job import AnyJob
from goatherd.ports.tracer import Tracer, Verb

_R = TypeVar("_R")


def traced_sending(
    tracer: Tracer | None, verb: Verb, jobs: Sequence[AnyJob], sending: Coroutine[Any, Any, _R]
) -> Coroutine[Any, Any, _R]:
    """Send jobs in a span of their own."""
    if tracer is None:
        return sending
    tasks = {job.definition.name: job.definition.queue for job in jobs}
    # A name for each mixture would be one too many for those who count spans by name.
    task, queue = next(iter(tasks.items())) if len(tasks) == 1 else ("several tasks", "")
    return within(tracer.sending(verb, task, queue, [job.id for job in jobs]), sending)


async def within(span: AbstractContextManager[None], doing: Coroutine[Any, Any, _R]) -> _R:
    """Do it while the span lasts."""
    with span:
        return await doing
