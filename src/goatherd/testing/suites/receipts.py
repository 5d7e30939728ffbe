"""How cases post requests and answers, and learn what became of them."""

import asyncio

from goatherd.errors import Unavailable
from goatherd.model.message import Delivery, Message
from goatherd.testing.suites.receiver import PATIENCE, message
from goatherd.wiring import Ports

#: A queue of which no broker has heard.
NOWHERE = "suite.nowhere"


class Slip:
    """Satisfies `Receipt`: what became of one message."""

    def __init__(self) -> None:
        self._told: asyncio.Future[Unavailable | None] = asyncio.get_running_loop().create_future()
        self.times = 0

    def taken(self) -> None:
        self._tell(None)

    def failed(self, error: Unavailable) -> None:
        self._tell(error)

    def _tell(self, error: Unavailable | None) -> None:
        self.times += 1
        if not self._told.done():
            self._told.set_result(error)

    async def outcome(self) -> Unavailable | None:
        """Why it was not taken; None if it was."""
        async with asyncio.timeout(PATIENCE):
            return await asyncio.shield(self._told)


async def post(client: Ports, sent: Message) -> Unavailable | None:
    """Post a message and wait for what becomes of it."""
    slip = Slip()
    client.courier.post(sent, slip)
    return await slip.outcome()


def answer_to(request: Delivery, body: bytes) -> Message:
    """As a worker writes it."""
    asked = request.message
    return message(asked.reply_to, body, id=f"re:{asked.id}", correlation_id=asked.correlation_id or asked.id)
