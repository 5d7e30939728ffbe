"""A courier in the test's hand: what was asked is seen, and answered, refused or left alone as the test likes."""

import asyncio
from collections.abc import Sequence
from typing import Any

from goatherd import Goatherd
from goatherd.errors import Unavailable
from goatherd.model import reply
from goatherd.model.message import Delivery, Message
from goatherd.ports.broker import Deliver
from goatherd.ports.calls import Receipt
from goatherd.task import Task
from tests.unit.engine.stage import Notes

Double = Task[[int], int]


class PostOffice:
    """Satisfies `Courier` and `Replies`, and the part of `Broker` that calls use."""

    queue = "reply.test"
    state = "up"

    def __init__(self) -> None:
        self.notes = Notes()
        self.posted: list[tuple[Message, Receipt]] = []
        self.called_off: list[tuple[str, str]] = []
        self.exclusive: list[bool] = []
        self.acked: list[str] = []
        #: Set to let the queue for answers be made; it is from the beginning.
        self.opening = asyncio.Event()
        self.opening.set()
        self._deliver: Deliver | None = None

    def take_the_place_of(self, app: Goatherd) -> None:
        """Let the calls of an open app go through here."""
        calls: Any = app.session().calls
        calls._courier = calls._broker = self

    # --- what calls see -------------------------------------------------------------------------

    def post(self, message: Message, receipt: Receipt) -> None:
        self.posted.append((message, receipt))
        self.notes("posted")

    async def named(self) -> str:
        return self.queue

    def call_off(self, queue: str, job_id: str) -> None:
        self.called_off.append((queue, job_id))

    async def listen_for_replies(self, deliver: Deliver, *, exclusive: bool) -> "PostOffice":
        self.notes("listening")
        await self.opening.wait()
        self.exclusive.append(exclusive)
        self._deliver = deliver
        return self

    async def stop(self) -> None:
        self.notes("stopped")

    def ack(self, delivery: Delivery) -> None:
        self.acked.append(delivery.message.correlation_id or delivery.message.id)

    # --- what the test does ---------------------------------------------------------------------

    async def next(self, number: int = 0) -> Message:
        """The request of that number, once it was posted."""
        await self.notes.saw("posted", number + 1)
        return self.posted[number][0]

    def accept(self, number: int = 0) -> None:
        """The broker has it."""
        self.posted[number][1].taken()

    def refuse(self, error: Unavailable, number: int = 0) -> None:
        """The broker has it not."""
        self.posted[number][1].failed(error)

    def deliver(self, *bodies: tuple[str, bytes]) -> None:
        """Answers come, each with what it is known by."""
        assert self._deliver is not None, "nobody listens"
        self._deliver([_answer(known_by, body) for known_by, body in bodies])

    def answer(self, *results: tuple[str, bytes]) -> None:
        """Answers come in our own format."""
        self.deliver(*((job, reply.of_result(job, result)) for job, result in results))


def _answer(known_by: str, body: bytes) -> Delivery:
    return Delivery(message=Message(id="a1", queue=PostOffice.queue, body=body, correlation_id=known_by), accepted=0.0)


async def all_of(calls: Sequence["asyncio.Task[Any]"]) -> list[Any]:
    """What became of calls, in time."""
    async with asyncio.timeout(20):
        return await asyncio.gather(*calls, return_exceptions=True)


def asking(call: Any) -> "asyncio.Task[Any]":
    return asyncio.create_task(call, name="a call of the test")


def outcomes(app: Goatherd) -> dict[str, int]:
    return {outcome: count for (_, _, outcome), count in app.meter.readings().calls.items()}
