"""How queues stand that are being replaced just now."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from goatherd.adapters.rabbitmq.replacing import Replacing
from goatherd.model.topology import QueueState


async def with_replaced(
    states: Sequence[QueueState], paused: Iterable[str], replacing: Replacing
) -> Sequence[QueueState]:
    """The same with what waits in the stand-ins, also for a queue that is away; only what is paused is replaced."""
    aside = {queue: await replacing.waiting_aside(queue) for queue in paused}
    told = {state.name: state for state in states}
    for queue, waiting in aside.items():
        if waiting is not None:
            state = told.get(queue) or _away(queue)
            told[queue] = replace(state, ready=state.ready + waiting, replaced=True)
    return [told[name] for name in sorted(told)]


def _away(queue: str) -> QueueState:
    return QueueState(
        name=queue, ready=0, consumers=0, delayed=None, running=None, oldest_age=None, dead=None, paused=True
    )
