"""The queue on which this process gets answers."""

import asyncio
import logging
from typing import Any
from uuid import uuid4

from pamqp import commands

from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.consumer import Care, Subscription
from goatherd.adapters.rabbitmq.failures import LinkFailed
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.names import Names
from goatherd.errors import Unavailable
from goatherd.ports.broker import Deliver

#: Milliseconds for which the broker keeps a queue that nobody listens to: calls survive a lost connection so long.
KEPT_FOR = 300_000
#: Answers that may be on their way at once.
PREFETCH = 1000

log = logging.getLogger("goatherd.rabbitmq")


class ReplyQueue(Subscription):
    """Satisfies `Replies`; made anew on each connection, under the same name unless the broker gives it."""

    def __init__(self, link: Link, app: str, deliver: Deliver, *, exclusive: bool) -> None:
        self._exclusive = exclusive
        self._own_name = "" if exclusive else Names(app).reply_queue(uuid4().hex)
        self._made = asyncio.Event()
        super().__init__(link, self._own_name, PREFETCH, deliver, Care.of_own_queue(self._make))

    async def named(self) -> str:
        """Its name, as soon as the broker has given it one."""
        while not self._queue:
            await self._made.wait()
        return self._queue

    async def begin(self) -> None:
        """Listen as soon as there is a connection; raises LinkFailed, or Unavailable if the broker does not let us."""
        # Without one there is no queue yet, and perhaps not even a name that a request could carry.
        await self._link.connection()
        await self.start()
        if not self._consumes():
            self.abandon()
            raise Unavailable(
                "The broker did not make a queue for answers, so nothing can be called. The log says why; check what "
                "the user of GOATHERD_BROKER_URL may configure and read."
            )

    def abandon(self) -> None:
        """It could not begin: let it not come alive on a later connection."""
        self._stopped = True
        self._link.forget(self._subscribe)
        if self._coming_back is not None:
            self._coming_back.cancel()

    async def stop(self) -> None:
        """Take no more answers, and let nobody send any."""
        await super().stop()
        channel = self._channel
        if self._own_name and channel is not None and channel.failed is None:
            try:
                await channel.ask(commands.Queue.Delete(0, self._own_name))
            except LinkFailed as error:
                log.debug("The queue %s was left to expire: %s", self._own_name, error)

    async def _make(self, channel: Channel) -> str:
        arguments: dict[str, Any] = {} if self._exclusive else {"x-expires": KEPT_FOR}
        answer = await channel.ask(
            commands.Queue.Declare(
                0,
                self._own_name,
                durable=not self._exclusive,
                exclusive=self._exclusive,
                auto_delete=self._exclusive,
                arguments=arguments,
            )
        )
        self._queue = str(getattr(answer, "queue", self._own_name))
        self._made.set()
        return self._queue

    def _channel_failed(self, error: LinkFailed) -> None:
        super()._channel_failed(error)
        if self._exclusive:
            # It went with the connection: an answer that is sent there finds nobody.
            self._queue = ""
            self._made.clear()
