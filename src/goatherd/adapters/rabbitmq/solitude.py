"""Be the only one who changes a virtual host, on all machines: by a queue that only one connection can have."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pamqp import commands

from goatherd.adapters.rabbitmq.asking import Asking, Refusal
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import LinkFailed
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import Unavailable

#: The broker deletes it with the connection of whoever made it.
QUEUE = "goatherd.topology.v1"

log = logging.getLogger("goatherd.rabbitmq")


class Solitude:
    """Holds as long as one connection does."""

    def __init__(self, link: Link, asking: Asking) -> None:
        self._link = link
        self._asking = asking
        self._connection: Connection | None = None
        #: Somebody deleted the queue under us.
        self._is_taken_away = False

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Raises Unavailable while somebody else has it."""
        if self._connection is not None:
            raise self._taken()
        connection = await self._asking.connection()
        question = commands.Queue.Declare(0, QUEUE, exclusive=True, auto_delete=True)
        if not await self._asking.done(question, f"make the queue {QUEUE!r}", unless=(405,)):
            raise self._taken()
        self._connection = connection
        self._is_taken_away = False
        try:
            # If it was made on a later connection than that one, this is found out before anything is changed.
            self.check()
            channel = await self._asking.within(connection.open_channel())
            try:
                await self._use(channel)
                yield
            finally:
                self._connection = None
                await _leave(channel)
        finally:
            self._connection = None
            await _give_up(connection)

    async def _use(self, channel: Channel) -> None:
        """A policy may let all queues go that nobody uses; and whoever uses one is told when it goes."""
        channel.on_cancel = lambda _consumer: self._lose()
        channel.on_failure = lambda _error: self._lose()
        try:
            await self._asking.within(channel.ask(commands.Basic.Consume(0, QUEUE, no_ack=True)))
        except Refusal as refusal:
            raise refusal.told(f"use the queue {QUEUE!r}") from refusal

    def _lose(self) -> None:
        self._is_taken_away = True

    @property
    def is_lost(self) -> bool:
        """Whether it was begun, and ended with the connection or with the queue."""
        connection = self._connection
        if connection is None:
            return False
        return self._is_taken_away or connection.lost.done() or not self._link.is_on(connection)

    def check(self) -> None:
        """Raise Unavailable if it was begun and then lost, for somebody else may have it now."""
        if self.is_lost:
            raise Unavailable(
                f"The connection to {self._link.address} was lost, or somebody deleted the queue {QUEUE!r}, and with "
                f"it went the right to change what is there. Apply again: what was begun goes on."
            )

    def _taken(self) -> Unavailable:
        return Unavailable(
            f"Somebody else changes the virtual host {self._link.address.virtual_host!r} at this moment. Wait until "
            f"that ends, or end it; if it was cut off without a word, its broker notices within a minute or two.",
            retry_after=5.0,
        )


async def _leave(channel: Channel) -> None:
    try:
        await channel.close()
    except LinkFailed as error:
        log.debug("The consumer of %r is gone already: %s", QUEUE, error)


async def _give_up(connection: Connection) -> None:
    if connection.lost.done():
        return
    try:
        await Declarer(connection).delete(QUEUE)
    except LinkFailed as error:
        log.debug("The queue %r goes with its connection: %s", QUEUE, error)
