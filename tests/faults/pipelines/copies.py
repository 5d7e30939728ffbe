"""A man in the middle: of every message about a step there are one to four, some of them later."""

import random
import time
from collections.abc import Sequence
from uuid import uuid4

import msgspec

from goatherd.errors import Unavailable
from goatherd.model.message import Message
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.wiring import Ports, open_ports
from tests.faults.pipelines.journal import mark

MOST_COPIES = 3
#: Seconds by which a copy may come later, so that it meets a unit at work, and one that is done.
LATER = (0.05, 1.5)


async def open_with_copies(settings: Settings, clock: Clock) -> Ports:
    """The ports of an app, of which the broker is told everything about steps several times."""
    ports = await open_ports(settings, clock)
    publish = ports.broker.publish

    async def publish_copies(messages: Sequence[Message]) -> None:
        await publish(messages)
        copies = [copy for message in messages for copy in copies_of(message)]
        try:
            await publish(copies)
            mark("copies", None, len(copies))
        except Unavailable:
            # What was to be told is told: nobody asked for more.
            return

    setattr(ports.broker, "publish", publish_copies)  # noqa: B010 - it is somebody else's
    return ports


def copies_of(message: Message) -> list[Message]:
    """None to three, under ids of their own, so that no broker knows them as copies."""
    return [
        msgspec.structs.replace(
            message, id=str(uuid4()), due=time.time() + random.uniform(*LATER) if random.random() < 0.5 else None
        )
        for _ in range(random.randint(0, MOST_COPIES))
    ]
