"""One channel: questions with answers, messages coming in, confirms of messages gone out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from pamqp import commands, frame
from pamqp.base import Frame

from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed, LinkLost
from goatherd.adapters.rabbitmq.wire import Confirm, Content

if TYPE_CHECKING:
    from goatherd.adapters.rabbitmq.connection import Connection

#: Seconds that the broker may take to answer a question.
ANSWER_DEADLINE = 10.0


class Channel:
    """Made by `Connection.open_channel`; dead for good after `fail`."""

    def __init__(self, connection: Connection, number: int) -> None:
        self.connection = connection
        self.number = number
        self.failed: LinkFailed | None = None
        self._asking = asyncio.Lock()
        self._answer: asyncio.Future[Frame] | None = None
        #: Whether either side has said the last word on it.
        self._said_farewell = False
        self.received: Callable[[list[Content]], None] = lambda _contents: None
        self.confirmed: Callable[[Confirm], None] = lambda _confirm: None
        self.on_cancel: Callable[[str], None] = lambda _consumer: None
        self.on_failure: Callable[[LinkFailed], None] = lambda _error: None

    async def ask(self, question: Frame, deadline: float = ANSWER_DEADLINE) -> Frame:
        """Send a method and wait for its answer; raises LinkFailed, after the deadline as LinkLost."""
        async with self._asking:
            if self.failed is not None:
                raise self.failed
            # First, for nobody would wait for an answer to what cannot be written.
            written = frame.marshal(question, self.number)
            self._answer = asyncio.get_running_loop().create_future()
            self.send(written)
            self._said_farewell = isinstance(question, commands.Channel.Close)
            try:
                async with asyncio.timeout(deadline):
                    return await self._answer
            except TimeoutError as error:
                lost = LinkLost(f"the broker did not answer {question.name} within {deadline:g} s")
                self._unanswered(question, lost)
                raise lost from error
            except asyncio.CancelledError:
                self._abandon(question, LinkLost(f"given up while {question.name} was not answered"))
                raise
            finally:
                self._answer = None

    def send(self, data: bytes) -> None:
        """Write frames of this channel; what comes after the farewell is dropped.

        Messages and confirms still come in until the broker has heard it, and may be answered to. On a channel that it
        does not know any more, the broker takes that for an error and ends the whole connection.
        """
        if not self._said_farewell:
            self.connection.send(data)

    async def close(self, deadline: float = ANSWER_DEADLINE) -> None:
        """Give the channel back. Idempotent."""
        if self.failed is None:
            await self.ask(commands.Channel.Close(200, "done", 0, 0), deadline)
            self.connection.forget(self.number)
            self.fail(LinkLost("the channel was closed by us"))

    def _unanswered(self, question: Frame, lost: LinkLost) -> None:
        """A broker that does not answer is gone; one whose memory is short only does not read what we say."""
        if self.connection.blocked is None:
            self.connection.fail(lost)
        else:
            self._abandon(question, lost)

    def _abandon(self, question: Frame, why: LinkLost) -> None:
        """Use it no more: an answer that comes later would be taken for that of the next question."""
        if self.failed is not None:
            return
        if not isinstance(question, commands.Channel.Close):
            self.send(frame.marshal(commands.Channel.Close(200, "given up", 0, 0), self.number))
        self._said_farewell = True
        self.fail(why)

    def method(self, method: object) -> None:
        """A method frame for this channel."""
        if self.failed is not None and isinstance(method, commands.Channel.CloseOk):
            self.connection.forget(self.number)
        elif isinstance(method, commands.Channel.Close):
            self.connection.send(frame.marshal(commands.Channel.CloseOk(), self.number))
            self._said_farewell = True
            self.connection.forget(self.number)
            asked = (method.class_id or 0, method.method_id or 0)
            self.fail(ChannelClosed(method.reply_code or 0, str(method.reply_text or ""), asked))
        elif isinstance(method, commands.Basic.Cancel):
            self.on_cancel(str(method.consumer_tag))
        elif isinstance(method, Frame) and self._answer is not None and not self._answer.done():
            self._answer.set_result(method)

    def fail(self, error: LinkFailed) -> None:
        """It is over, alone or with its connection."""
        if self.failed is not None:
            return
        self.failed = error
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)
        self.on_failure(error)
