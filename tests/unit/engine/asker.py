"""What tests of answers share."""

import asyncio
from typing import Any

from goatherd import Goatherd
from goatherd.model.message import Message
from tests.unit.engine.stage import Stage


class Asker:
    """Asks by hand, as a stranger does, and sees every answer as it is on the wire."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.answers: asyncio.Queue[Message] = asyncio.Queue()

    async def listen(self) -> str:
        def take(deliveries: Any) -> None:
            for delivery in deliveries:
                self.answers.put_nowait(delivery.message)
                self._stage.app.session().ports.broker.ack(delivery)

        replies = await self._stage.app.session().ports.courier.listen_for_replies(take, exclusive=False)
        return replies.queue

    async def next(self) -> Message:
        async with asyncio.timeout(20):
            return await self.answers.get()


def answered(app: Goatherd, queue: str = "shop") -> dict[str, int]:
    """What became of requests at this worker."""
    return {outcome: count for (name, outcome), count in app.meter.readings().answers.items() if name == queue}


def ended(app: Goatherd) -> dict[str, int]:
    """How attempts ended."""
    return {outcome: count for (_, _, outcome), count in app.meter.readings().ended.items()}
