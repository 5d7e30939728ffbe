"""The queue on which this process gets answers."""

import asyncio
import logging
from typing import Any
from uuid import uuid4

from pamqp import commands

from goatherd.adapters.rabbitmq.care import Care
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.failures import LinkFailed
from goatherd.adapters.rabbitmq.host import Host
from goatherd.adapters.rabbitmq.hosting import Hosting
from goatherd.adapters.rabbitmq.names import Names
from goatherd.adapters.rabbitmq.subscription import Subscription
from goatherd.errors import Unavailable
from goatherd.ports.broker import Deliver

#: Milliseconds for which the broker keeps a queue that nobody listens to: calls survive a lost connection so long.
KEPT_FOR = 300_000
#: Answers that may be on their way at once.
PREFETCH = 1000

log = logging.getLogger("goatherd.rabbitmq")


class ReplyQueue(Subscription):
    """Satisfies `Replies`; made anew on each connection, under the same name unless the broker gives it."""

    def __init__(self, hosting: Hosting, app: str, deliver: Deliver, *, exclusive: bool) -> None:
        self._exclusive = exclusive
        self._own_name = "" if exclusive else Names(app).reply_queue(uuid4().hex)
        self._made = asyncio.Event()
        super().__init__(hosting, self._own_name, PREFETCH, deliver, Care.of_own_queue(self._make))
        # One that only this process may use goes with its consumer.
        self.restartable = not exclusive

    async def named(self) -> str:
        """Its name, as soon as the broker has given it one."""
        while not self._queue:
            await self._made.wait()
        return self._queue

    async def begin(self) -> None:
        """Listen as soon as there is a connection; raises LinkFailed, or Unavailable if the broker does not let us."""
        # Without one there is no queue yet, and perhaps not even a name that a request could carry.
        await self._hosting.link.connection()
        await self.start()
        if not self.consumes():
            self.abandon()
            raise Unavailable(
                "The broker did not make a queue for answers, so nothing can be called. The log says why; check what "
                "the user of GOATHERD_BROKER_URL may configure and read."
            )

    async def stop(self) -> None:
        """Take no more answers, and let nobody send any."""
        await super().stop()
        host = self._host
        if self._own_name and host is not None and host.channel.failed is None:
            try:
                await host.channel.ask(commands.Queue.Delete(0, self._own_name))
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

    def lost(self, host: Host, error: LinkFailed, *, guilty: bool) -> None:
        super().lost(host, error, guilty=guilty)
        if self._exclusive:
            # It went with the connection: an answer that is sent there finds nobody.
            self._queue = ""
            self._made.clear()
