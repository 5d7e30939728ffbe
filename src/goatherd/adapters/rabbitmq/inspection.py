"""Look whether the broker has what is wanted, and make nothing."""

import logging
from collections.abc import Iterable, Sequence

from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.names import Names
from goatherd.adapters.rabbitmq.topology import Declarer, queue_arguments
from goatherd.errors import Unavailable
from goatherd.model.topology import Queue

log = logging.getLogger("goatherd.rabbitmq")


async def check_everything(declarer: Declarer, names: Names, queues: Sequence[Queue], queue_type: str) -> None:
    """Raise Unavailable with all that is missing, or TopologyMismatch for a queue that differs."""
    exchanges = list(names.exchanges)
    exchanges += [queue.exchange for queue in queues if queue.exchange]
    exchanges += [grave[0] for queue in queues if (grave := names.grave_of(queue)) is not None]
    missing = [f"exchange {name!r}" for name in exchanges if not await declarer.has_exchange(name)]
    wanted = [names.dead_queue, *(queue.name for queue in queues)]
    missing += [f"queue {name!r}" for name in wanted if await declarer.exists(name) is None]
    if missing:
        raise Unavailable(_text(missing, "declare='check'"))
    for queue in queues:
        if not queue.passive:
            await _compare(declarer, queue, names, queue_type)


async def check_queues(declarer: Declarer, queues: Iterable[str], because: str) -> None:
    """Raise Unavailable unless every queue is there; `because` is why they are not made."""
    missing = [f"queue {name!r}" for name in queues if await declarer.exists(name) is None]
    if missing:
        raise Unavailable(_text(missing, because))


async def _compare(declarer: Declarer, queue: Queue, names: Names, queue_type: str) -> None:
    """To declare a queue that is there makes nothing: the broker only compares, if this user may ask."""
    try:
        await declarer.queue(queue.name, queue_arguments(queue, names, queue_type))
    except ChannelClosed as error:
        if error.code != 403:
            raise
        log.debug("The arguments of queue %r cannot be compared: %s", queue.name, error)


def _text(missing: Sequence[str], because: str) -> str:
    return (
        f"The broker has no {', no '.join(missing)}, and because of {because} this program makes nothing there. "
        f"Make what is missing; GOATHERD_DECLARE=create does it for all but passive queues."
    )
