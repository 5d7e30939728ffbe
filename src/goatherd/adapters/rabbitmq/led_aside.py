"""Queues whose ways lead to their stand-ins while they are replaced: to bind one then would double what is sent."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection

from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import Unavailable
from goatherd.model.stand_in import LONGEST_NAME, stand_in_of

#: Seconds that somebody who makes queues waits to be told whether they are paused.
PATIENCE = 2.0

log = logging.getLogger("goatherd.rabbitmq")


async def led_aside(
    declarer: Declarer, queues: Collection[str], is_paused: Callable[[str, float], Awaitable[bool]] | None = None
) -> frozenset[str]:
    """Those of the queues that have a stand-in; raises LinkLost.

    Only what is paused is replaced. Whoever can ask for that asks first: a question about a stand-in that is not there
    is an error in the broker's log.
    """
    suspects = sorted(queues)
    if is_paused is not None:
        may_be = await asyncio.gather(*(_may_be_replaced(queue, is_paused) for queue in suspects))
        suspects = [queue for queue, suspected in zip(suspects, may_be, strict=True) if suspected]
    found = frozenset([queue for queue in suspects if await _has_stand_in(declarer, queue)])
    if found:
        log.warning("Being replaced, and therefore not bound by this program: %s", ", ".join(sorted(found)))
    return found


async def _may_be_replaced(queue: str, is_paused: Callable[[str, float], Awaitable[bool]]) -> bool:
    try:
        return await is_paused(queue, PATIENCE)
    except Unavailable as error:
        log.debug("Whether the queue %r is paused is not told now: %s", queue, error)
        return True


async def _has_stand_in(declarer: Declarer, queue: str) -> bool:
    if len(stand_in_of(queue).encode()) > LONGEST_NAME:
        return False
    try:
        return await declarer.exists(stand_in_of(queue)) is not None
    except ChannelClosed as error:
        log.debug("Whether the queue %r is being replaced is not told to this user: %s", queue, error)
        return False
