"""The broker port on SQLite."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import cast

import apsw
import msgspec

from goatherd.adapters.sqlite.call_offs import CallOffs, call_off, call_off_anywhere
from goatherd.adapters.sqlite.consumer import Consumer
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.doorbell import Ringer
from goatherd.adapters.sqlite.graves import bury_claimed, bury_overflow
from goatherd.adapters.sqlite.held import Claim, Held
from goatherd.adapters.sqlite.presence import Presence
from goatherd.adapters.sqlite.queries import bells, rows, run, run_many
from goatherd.adapters.sqlite.reply_queues import ReplyQueue, open_reply_queue
from goatherd.adapters.sqlite.requests import Request
from goatherd.adapters.sqlite.rows import QueueRow, publish_row
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery, Message
from goatherd.model.topology import HoldLimit, Queue, QueueState
from goatherd.ports.broker import Deliver, LinkState
from goatherd.ports.calls import Receipt
from goatherd.ports.clock import Clock


class SqliteBroker:
    """Satisfies `Broker`, `Courier` and `QueueOperations`."""

    def __init__(self, database: Database, clock: Clock, *, lease: float, publish_deadline: float) -> None:
        self._database = database
        self._clock = clock
        self._publish_deadline = publish_deadline
        self._queues: dict[str, QueueRow] = {}
        self._ringer = Ringer()
        self._presence = Presence(database, self._ringer, lease)
        self._consumer = Consumer(database, self._presence, clock)

    @property
    def state(self) -> LinkState:
        return "up" if self._consumer.failing is None else "down"

    async def declare(self, queues: Iterable[Queue]) -> None:
        wanted = list(queues)

        def make_missing(connection: apsw.Connection) -> None:
            for queue in wanted:
                self._declare(connection, queue)

        await self._database.write(make_missing)

    def hold_limit(self, queue: str) -> HoldLimit | None:
        return None

    async def publish(self, messages: Sequence[Message]) -> None:
        def insert(connection: apsw.Connection) -> list[str]:
            now = self._clock.now()
            targets = {name: self._queue(connection, name) for name in {message.queue for message in messages}}
            rows = [publish_row(message, targets[message.queue], now) for message in messages]
            run_many(connection, "publish", rows)
            return self._settle_queues(connection, targets.values(), now)

        jobs = tuple(message.id for message in messages)
        try:
            async with asyncio.timeout(self._publish_deadline):
                await self._database.write(insert, after=self._ringer.ring)
        except Unavailable as error:
            error.jobs = jobs
            raise
        except TimeoutError as error:
            raise Unavailable(
                f"The file {self._database.path} did not take {len(jobs)} job(s) within {self._publish_deadline:g} s, "
                f"so it is not known whether they were accepted; is its disk overloaded? Send again with the same id=.",
                jobs=jobs,
            ) from error

    def post(self, message: Message, receipt: Receipt) -> None:
        def insert(connection: apsw.Connection) -> list[str]:
            now = self._clock.now()
            # The queue of a process that waits may be gone by now, so it is looked for each time.
            queue = self._queue(connection, message.queue) if message.reply_to else _find(connection, message.queue)
            if queue is None:
                raise Unavailable(f"Nobody waits at {message.queue!r} any more.", jobs=[message.id])
            run(connection, "publish", publish_row(message, queue, now))
            return self._settle_queues(connection, [queue], now)

        try:
            # Nothing is lost by a power cut that ends caller and worker too.
            written = self._database.begin_write(insert, durable=False, after=self._ringer.ring)
        except Unavailable as error:
            receipt.failed(error)
        else:
            written.add_done_callback(lambda done: _tell(done, receipt))

    def call_off(self, queue: str, job_id: str) -> None:
        def leave_word(connection: apsw.Connection) -> list[str]:
            # Those of tasks with many queues are also called off under their pattern, which is no queue.
            found = _find(connection, queue)
            return call_off_anywhere(connection, job_id) if found is None else call_off(connection, found.id, job_id)

        request = Request(leave_word, writes=True, durable=False, after=self._ringer.ring)
        with suppress(Unavailable):  # nobody is left to be told
            self._database.post(request)

    async def hear_call_offs(self, queues: Sequence[str], called_off: Callable[[str], None]) -> CallOffs:
        return CallOffs(self._consumer, called_off)

    async def listen_for_replies(self, deliver: Deliver, *, exclusive: bool) -> ReplyQueue:
        return await open_reply_queue(self._database, self._consumer, deliver)

    async def consume(self, queue: str, prefetch: int, deliver: Deliver, *, shared: bool = False) -> Held:
        # All consumers of a process share one loop here, whatever was asked for.
        row = await self._database.read(lambda connection: self._queue(connection, queue))
        held = Held(self._consumer, queue, row.id, prefetch, deliver)
        await self._consumer.add(held)
        return held

    def is_lost(self, delivery: Delivery) -> bool:
        # A worker that was taken for dead goes on under a new id.
        return _claim(delivery).worker != self._presence.id

    def begin(self, delivery: Delivery) -> None:
        claim = _claim(delivery)
        claim.ledger = self._presence.ledger
        claim.slot = claim.ledger.begin(claim.seq)

    def end(self, delivery: Delivery) -> None:
        claim = _claim(delivery)
        if claim.ledger is not None:
            claim.ledger.end(claim.slot)

    def ack(self, delivery: Delivery) -> None:
        self._consumer.ack(_claim(delivery))

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        claims = [_claim(delivery) for delivery in deliveries]

        def release(connection: apsw.Connection) -> list[str]:
            run_many(connection, "hand_back", [(claim.seq, claim.worker) for claim in claims])
            return bells(connection)

        await self._database.write(release, durable=False, after=self._ringer.ring)
        for claim in claims:
            self._consumer.released(claim)

    async def replace(self, delivery: Delivery, message: Message) -> None:
        claim = _claim(delivery)

        def swap(connection: apsw.Connection) -> list[str]:
            queue = self._queue(connection, message.queue)
            run(connection, "replace", (*publish_row(message, queue, self._clock.now()), claim.seq, claim.worker))
            return bells(connection, queue.id)

        await self._database.write(swap, durable=False, after=self._ringer.ring)
        self._consumer.released(claim)

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        claim = _claim(delivery)
        row = msgspec.structs.asdict(burial)

        def inter(connection: apsw.Connection) -> list[str]:
            bury_claimed(connection, claim.seq, claim.worker, row, self._clock.now())
            announced = self._queue(connection, delivery.message.queue).announces_to
            listening = rows(connection, "find_queue", {"name": announced}) if announced else []
            return bells(connection, QueueRow(*listening[0]).id) if listening else []

        await self._database.write(inter, durable=False, after=self._ringer.ring)
        self._consumer.released(claim)

    async def queues(self, also: Sequence[str] = ()) -> Sequence[QueueState]:
        named = {"also": json.dumps(list(also))}
        found = await self._database.read(lambda connection: rows(connection, "queue_states", named))
        now = self._clock.now()
        return [
            QueueState(
                name=name, ready=ready, delayed=delayed, running=running, consumers=consumers, dead=dead,
                oldest_age=None if oldest is None else max(0.0, now - oldest), paused=bool(paused),
            )
            for name, ready, delayed, running, consumers, oldest, dead, paused in found
        ]  # fmt: skip

    async def purge(self, queue: str) -> int:
        def drop(connection: apsw.Connection) -> int:
            self._queue(connection, queue)
            return run(connection, "purge", {"name": queue})

        return await self._database.write(drop)

    async def close(self) -> None:
        try:
            await self._consumer.close()
        finally:
            self._ringer.close()

    async def vanish(self) -> None:
        """Be gone as after `kill -9`, for tests of what others do then."""
        await self._consumer.vanish()
        self._ringer.close()

    def _declare(self, connection: apsw.Connection, queue: Queue) -> None:
        wanted = {"ttl": queue.ttl, "max_length": queue.max_length}
        found = rows(connection, "find_queue", {"name": queue.name})
        if not found:
            row = {**wanted, "name": queue.name, "announces_to": queue.announces_to}
            run(connection, "make_queue", row)
            return
        row_found = QueueRow(*found[0])
        for argument, value in wanted.items():
            if getattr(row_found, argument) != value:
                raise TopologyMismatch("queue", queue.name, argument, value, getattr(row_found, argument))
        if queue.announces_to is not None:
            row = {"announces_to": queue.announces_to, "queue": row_found.id}
            run(connection, "announce_to", row)

    def _queue(self, connection: apsw.Connection, name: str) -> QueueRow:
        known = self._queues.get(name)
        if known is None:
            known = _find(connection, name)
            if known is None:
                raise Unavailable(
                    f"There is no queue {name!r} in {self._database.path}, so nothing was sent. A worker or an app "
                    f"that knows the queue makes it when it starts; check the name with `goatherd queues list`."
                )
            self._queues[name] = known
        return known

    def _settle_queues(self, connection: apsw.Connection, targets: Iterable[QueueRow], now: float) -> list[str]:
        """Enforce length limits after a publish; returns the bells to ring."""
        to_ring: list[str] = []
        for queue in targets:
            if queue.max_length is not None:
                bury_overflow(connection, queue.id, queue.max_length, now)
            to_ring += bells(connection, queue.id)
        return to_ring


def _find(connection: apsw.Connection, name: str) -> QueueRow | None:
    found = rows(connection, "find_queue", {"name": name})
    return QueueRow(*found[0]) if found else None


def _tell(done: "asyncio.Future[list[str]]", receipt: Receipt) -> None:
    error = asyncio.CancelledError() if done.cancelled() else done.exception()
    if error is None:
        receipt.taken()
    elif isinstance(error, Unavailable):
        receipt.failed(error)
    else:
        # Whatever it is, whoever waits must hear of it.
        failure = Unavailable(f"The message could not be written: {error!r}.")
        failure.__cause__ = error
        receipt.failed(failure)


def _claim(delivery: Delivery) -> Claim:
    return cast(Claim, delivery.tag)
