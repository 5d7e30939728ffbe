"""Queues for answers: each belongs to one process, and goes some time after it."""

from uuid import uuid4

import apsw

from goatherd.adapters.sqlite.abandoned import drop
from goatherd.adapters.sqlite.consumer import Consumer
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.held import Held
from goatherd.adapters.sqlite.queries import run
from goatherd.ports.broker import Deliver

#: Seconds for which a queue is kept that nobody listens to.
KEPT_FOR = 300.0
#: Answers that may be on their way to the caller at once.
PREFETCH = 1000


class ReplyQueue:
    """The one of this process; satisfies `Replies`."""

    def __init__(self, database: Database, held: Held) -> None:
        self._database = database
        self._held = held

    @property
    def queue(self) -> str:
        """Its name."""
        return self._held.queue

    async def named(self) -> str:
        """Its name."""
        return self._held.queue

    async def stop(self) -> None:
        """Take no more answers, and let nobody send any."""
        await self._held.stop()
        await self._database.write(lambda connection: drop(connection, self._held.queue_id), durable=False)


async def open_reply_queue(database: Database, consumer: Consumer, deliver: Deliver) -> ReplyQueue:
    """Make a queue of this process's own and listen to it."""
    name = f"reply.{uuid4().hex}"

    def make(connection: apsw.Connection) -> int:
        run(connection, "make_reply_queue", {"name": name, "keep": KEPT_FOR})
        return connection.last_insert_rowid()

    queue_id = await database.write(make, durable=False)
    held = Held(consumer, name, queue_id, PREFETCH, deliver)
    await consumer.add(held)
    return ReplyQueue(database, held)
