"""Which way a job goes that is sent: at once or with a user's transaction, each time or once, watched or not."""

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from goatherd.engine.enqueue import BATCH, Sender
from goatherd.engine.outbox_entry import OutboxEntry
from goatherd.engine.outbox_relay import OutboxRelay
from goatherd.engine.traced import traced_sending
from goatherd.engine.tracked import Tracked
from goatherd.engine.uniqueness import Uniqueness
from goatherd.engine.user_transaction import through
from goatherd.errors import Unavailable
from goatherd.model.job import AnyJob, JobOptions
from goatherd.ports.lanes import Lanes
from goatherd.ports.outbox import Outbox

LanesOpener: TypeAlias = Callable[[], Awaitable[Lanes]]


@dataclass(frozen=True, kw_only=True)
class Stores:
    """What is opened when the first job needs it."""

    lanes: LanesOpener
    #: Whether jobs of users' transactions are sent at once, as in tests.
    ignore_transactions: bool = False


class Dispatch:
    """Sends the jobs of one app."""

    def __init__(
        self, sender: Sender, tracked: Tracked, uniqueness: Uniqueness, relay: OutboxRelay, stores: Stores
    ) -> None:
        self._sender = sender
        self._tracked = tracked
        self._uniqueness = uniqueness
        self._relay = relay
        self._stores = stores

    def waits(self, options: JobOptions) -> bool:
        """Whether it is sent with a transaction of the user's own."""
        return options.within is not None and not self._stores.ignore_transactions

    def send(self, job: AnyJob) -> Coroutine[Any, Any, str]:
        """Send one; gives its id, or that of the job that stands in its place."""
        return traced_sending(self._sender.tracer, "send", [job], self._send(job))

    def start(self, job: AnyJob) -> Coroutine[Any, Any, str]:
        """Send one that whoever knows its id can watch; gives the same."""
        return traced_sending(self._sender.tracer, "start", [job], self._start(job, self._tracked.start))

    def send_tracked(self, job: AnyJob) -> Coroutine[Any, Any, str]:
        """The same, but it is also sent while it cannot be watched."""
        return traced_sending(self._sender.tracer, "start", [job], self._start(job, self._tracked.send))

    def send_many(self, jobs: Iterable[AnyJob]) -> Coroutine[Any, Any, list[str]]:
        """Send some in order, those of users' transactions first; the first failure ends it."""
        every = list(jobs)
        return traced_sending(self._sender.tracer, "send", every, self._send_many(every))

    async def _send(self, job: AnyJob) -> str:
        if self.waits(job.options):
            [id] = await self._send_within(job.options.within, [job], tracked=False)
            return id
        if not self._uniqueness.concerns(job, tracked=False):
            return await self._sender.send(job)
        [id] = await self._uniqueness.send([job], self._sender.send_many)
        return id

    async def _start(self, job: AnyJob, begin: Callable[[AnyJob], Awaitable[None]]) -> str:
        if self.waits(job.options):
            [id] = await self._send_within(job.options.within, [job], tracked=True)
            return id
        if not self._uniqueness.concerns(job, tracked=True):
            await begin(job)
            return job.id

        async def start(jobs: Sequence[AnyJob]) -> None:
            for each in jobs:
                await begin(each)

        [id] = await self._uniqueness.send([job], start, tracked=True)
        return id

    async def _send_many(self, every: Sequence[AnyJob]) -> list[str]:
        ids: dict[int, str] = {}
        for connection, those in by_connection(job for job in every if self.waits(job.options)):
            ids |= zip(map(id, those), await self._send_within(connection, those, tracked=False), strict=True)
        loose = [job for job in every if not self.waits(job.options)]
        if any(self._uniqueness.concerns(job, tracked=False) for job in loose):
            sent = await self._send_some_once(loose)
        else:
            sent = await self._sender.send_many(loose)
        ids |= zip(map(id, loose), sent, strict=True)
        return [ids[id(job)] for job in every]

    async def expect(self, *ids: str) -> Outbox:
        """Somebody is about to write into the outbox, with what can be watched under these ids."""
        for each in ids:
            self._tracked.expected.add(each)
        return await self._relay.expect()

    async def entry(self, jobs: Sequence[AnyJob], *, tracked: bool) -> OutboxEntry:
        """Open the way into the outbox for jobs that are about to be written there."""
        outbox = await self.expect(*(job.id for job in jobs if tracked))
        wants_uniques = any(self._uniqueness.concerns(job, tracked=tracked) for job in jobs)
        queues = sorted({job.definition.queue for job in jobs if job.lane is not None})
        lanes = await self._stores.lanes() if queues else None
        if lanes is not None:
            self._relay.ring_soon(lanes.ring, queues)
        return OutboxEntry(
            outbox=outbox,
            sender=self._sender,
            uniqueness=self._uniqueness,
            uniques=await self._uniqueness.opened() if wants_uniques else None,
            lanes=lanes,
            tracked=self._tracked.headers(jobs[0]) if tracked else None,
        )

    async def _send_within(self, connection: Any, jobs: Sequence[AnyJob], *, tracked: bool) -> list[str]:
        return await through(connection, (await self.entry(jobs, tracked=tracked)).put(jobs))

    async def _send_some_once(self, jobs: Sequence[AnyJob]) -> list[str]:
        ids: list[str] = []
        left = iter(jobs)
        while batch := list(islice(left, BATCH)):
            try:
                ids += await self._uniqueness.send(batch, self._sender.send_many)
            except Unavailable as error:
                error.jobs = (*error.jobs, *(job.id for job in left))
                raise
        return ids


def by_connection(jobs: Iterable[AnyJob]) -> list[tuple[Any, list[AnyJob]]]:
    """Jobs of users' transactions, each with the connection that it was given."""
    groups: dict[int, tuple[Any, list[AnyJob]]] = {}
    for job in jobs:
        if job.options.within is not None:
            groups.setdefault(id(job.options.within), (job.options.within, []))[1].append(job)
    return list(groups.values())
