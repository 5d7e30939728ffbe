"""Ask a broker for one thing after the other: each in time, and what it refuses in our words."""

import asyncio
import re
from collections.abc import Awaitable, Collection
from typing import TypeVar

from pamqp import commands
from pamqp.base import Frame

from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.declarations import look_for_queue
from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed, LinkLost, in_our_words
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import Unavailable

Result = TypeVar("Result")

#: Seconds within which one question must be answered, also when the connection must be made first.
DEADLINE = 20.0
#: What a broker says when it ends the whole connection because of what was asked.
_CODE = re.compile(r"^(\d{3}) ")
#: What to do about a refusal, by its code.
_ADVICE = {
    403: "Check what the user of GOATHERD_BROKER_URL may do there (`rabbitmqctl list_permissions`).",
    404: "Somebody may have deleted it meanwhile; try again.",
    405: "Another connection has it for itself alone; end that program, or choose another name.",
    406: "Change the definition to what this broker can do.",
    503: "Enable the plugin that has it, or change the definition.",
}


class Asking:
    """Questions on one link."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def done(self, question: Frame, doing: str, *, unless: Collection[int] = ()) -> bool:
        """Whether the broker did it: not if it refused with one of these codes.

        Raises TopologyMismatch, or Unavailable with `doing` in it, such as "bind the queue 'mail'".
        """
        try:
            await self.within(self._ask(question))
        except Refusal as refusal:
            if refusal.code in unless:
                return False
            raise refusal.told(doing) from refusal
        except (ValueError, TypeError) as error:
            # Such as a name that is longer than the protocol allows.
            raise Unavailable(f"The broker cannot be asked to {doing}: {error}. Change the definition.") from error
        return True

    async def counts(self, queue: str) -> tuple[int, int] | None:
        """How many messages wait in a queue, and how many consume; None if it is not there."""
        try:
            answer = await self.within(self._ask(look_for_queue(queue)))
        except Refusal as refusal:
            if refusal.code == 404:
                return None
            raise refusal.told(f"tell how full the queue {queue!r} is") from refusal
        assert isinstance(answer, commands.Queue.DeclareOk)
        return answer.message_count or 0, answer.consumer_count or 0

    async def connection(self) -> Connection:
        """The connection that is up; raises Unavailable."""
        return await self.within(self._link.connection())

    async def within(self, doing: Awaitable[Result], deadline: float = DEADLINE) -> Result:
        """What came of it in time; raises Unavailable, or Refusal if the broker did not want to."""
        try:
            async with asyncio.timeout(deadline):
                return await doing
        except ChannelClosed as error:
            raise Refusal(error.code, error.text) from error
        except LinkFailed as error:
            if (code := _CODE.match(str(error))) is not None:
                raise Refusal(int(code[1]), str(error)[4:]) from error
            raise in_our_words(error, self._link.address) from error
        except TimeoutError as error:
            failure = LinkLost(f"no answer within {deadline:g} s; last trouble: {self._link.last_failure}")
            raise in_our_words(failure, self._link.address) from error

    async def _ask(self, question: Frame) -> Frame:
        return await Declarer(await self._link.connection()).ask(question)


class Refusal(Exception):
    """The broker answered that it does not do what was asked."""

    def __init__(self, code: int, text: str) -> None:
        self.code = code
        self.text = text
        super().__init__(f"{code} {text}")

    def told(self, doing: str) -> Unavailable:
        """The error to raise instead."""
        advice = _ADVICE.get(self.code, "Try again later.")
        return Unavailable(f"The broker refused to {doing}: {self}. {advice}")
