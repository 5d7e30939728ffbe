"""Where everything of an app is on the broker: its queues, its delays and its dead letters."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence

from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.inspection import check_everything, check_queues
from goatherd.adapters.rabbitmq.known import KnownQueues
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.names import Names
from goatherd.adapters.rabbitmq.topology import Declare, Declarer, QueueType, hold_arguments, queue_arguments
from goatherd.errors import GoatherdError, Unavailable
from goatherd.model.topology import HoldLimit, Queue, QueueState

#: Seconds for which RabbitMQ lets a delivery stay without an ack, unless its operator said otherwise.
CONSUMER_TIMEOUT = 1800.0
#: Queues that are being made at once.
MAKERS = 4


class Layout:
    """Makes what is missing and knows the way to every queue."""

    def __init__(self, links: Sequence[Link], app: str, declare: Declare, queue_type: QueueType) -> None:
        #: Everything is asked on the first; after a loss of either, what is missing must be there before it is used.
        self._links = links
        self._link = links[0]
        self._names = Names(app)
        self._declare = declare
        self._queue_type = queue_type
        self._known = KnownQueues()
        self._holds: set[int] = set()
        self._announcements: set[str] = set()
        self._making_hold = asyncio.Lock()
        #: Where what all queues need was made last.
        self._made_on: Connection | None = None
        #: Queues that could not be made when they were last asked for.
        self._refused: set[str] = set()

    @property
    def _why_not_made(self) -> str:
        return f"declare={self._declare!r}"

    @property
    def dead_queue(self) -> str:
        """Where the app's dead letters stay."""
        return self._names.dead_queue

    def pause_mark(self, queue: str) -> str:
        """The empty queue that says that another one is paused."""
        return self._names.pause_mark(queue)

    def known_queues(self) -> list[str]:
        """Every queue that this app declares, but for those that come and go."""
        return sorted(self._known.lasting)

    async def declare(self, queues: Sequence[Queue]) -> None:
        """Make the queues, and the exchanges that delays and dead letters need; raises TopologyMismatch.

        All that can be made are made before the first that is refused is told of.
        """
        only_new = not self._known.has_any(queues)
        self._known.add(queues)
        self._announcements |= {queue.announces_to for queue in queues if queue.announces_to is not None}
        if self._declare == "never":
            return
        connection = await self._link.connection()
        declarer = Declarer(connection)
        if self._declare == "check":
            await check_everything(declarer, self._names, queues, self._queue_type)
            return
        if not only_new or self._made_on is not connection:
            # What is asked for a second time is missing, and that may be these.
            await self._make_surroundings(declarer)
        for link in self._links:
            link.on_next_up(self._make_again)
        refusals = await self._make_queues(declarer, queues)
        self._refused -= {queue.name for queue in queues}
        self._refused |= {queue.name for queue in queues if queue.name in refusals and not queue.one_of_many}
        await self._bind_announcements(declarer)
        _raise_first(queues, refusals)

    async def have(self, queue: str, *, again: bool) -> None:
        """See that a queue is there before a listener consumes it, making it again if it is ours to make.

        With `again` it was consumed before, and may have become another one meanwhile.
        Raises Unavailable, TopologyMismatch or LinkFailed.
        """
        declarer = Declarer(await self._link.connection())
        described = self._known.find(queue)
        if self._declare != "create" or described is None or described.passive:
            await check_queues(declarer, [queue], "passive=True" if self._declare == "create" else self._why_not_made)
        elif await declarer.exists(queue) is None:
            await self._make_queue(declarer, described)
        elif again:
            # Somebody may have deleted it and made it anew, without the way by which delayed jobs come to it.
            await declarer.bind(queue, self._names.due_exchange, f"*.{queue}")

    def listen(self, queue: str) -> None:
        """A listener looks after this queue from now on, so that whatever is wrong with it concerns nobody else."""
        self._known.listen(queue)

    def is_listened(self, queue: str) -> bool:
        """Whether somebody looks after it, and makes it again if it is gone."""
        return queue in self._known.listened

    def forget(self, queue: str) -> None:
        """A listener of this queue has ended; with the last one nothing is remembered of it."""
        self._known.forget(queue)

    def way_to(self, queue: str) -> tuple[str, str]:
        """Exchange and routing key for a queue."""
        described = self._known.lasting.get(queue)
        if described is None or not described.exchange:
            return "", queue
        return described.exchange, described.routing_key or described.name

    def buries(self, queue: str) -> bool:
        """Whether the broker keeps what expires in a queue: a contract without dead letters would just lose it."""
        described = self._known.lasting.get(queue)
        return described is not None and (not described.contract or described.dead_letter is not None)

    def hold_limit(self, queue: str, told: float | None) -> HoldLimit:
        """How long a delivery of a queue may stay without an ack; the queue's own argument wins."""
        described = self._known.lasting.get(queue)
        own = described.arguments.get("x-consumer-timeout") if described is not None else None
        if isinstance(own, int):
            return HoldLimit(seconds=own / 1000, known=True)
        return HoldLimit(seconds=CONSUMER_TIMEOUT if told is None else told, known=told is not None)

    def takes_turns(self, queue: str) -> bool:
        """Whether only one consumer of a queue gets messages at a time, so that the others hear nothing."""
        described = self._known.lasting.get(queue)
        return described is not None and bool(described.arguments.get("x-single-active-consumer"))

    def grave_of(self, queue: str) -> tuple[str, str]:
        """Exchange and routing key for a queue's dead letters; those about announcements are not announced."""
        if queue in self._announcements:
            return "", self._names.dead_queue
        return self._names.grave_of(self._known.lasting.get(queue)) or (self._names.dead_exchange, queue)

    def announcing_exchanges(self, queue: str) -> frozenset[str]:
        """Where dead letters pass: what a queue gets from there is an announcement."""
        if queue not in self._announcements:
            return frozenset((self._names.dead_exchange,))
        graves = [self._names.grave_of(described) for described in self._known.lasting.values()]
        return frozenset((self._names.dead_exchange, *(grave[0] for grave in graves if grave is not None)))

    async def must_exist(self, queue: str) -> None:
        """Raise Unavailable unless the queue is there."""
        await check_queues(Declarer(await self._link.connection()), [queue], self._why_not_made)

    def has_hold(self, milliseconds: int) -> bool:
        """Whether the hold queue for a wait is known to be there."""
        return milliseconds in self._holds

    def way_through_hold(self, milliseconds: int, queue: str) -> tuple[str, str]:
        """Exchange and routing key for a wait, after which the message goes on to a queue."""
        return self._names.hold_exchange, f"{milliseconds}.{queue}"

    async def make_hold(self, milliseconds: int) -> None:
        """Have the hold queue for a wait; raises LinkFailed, TopologyMismatch, or Unavailable if it may not be made."""
        async with self._making_hold:
            if milliseconds in self._holds:
                return
            declarer = Declarer(await self._link.connection())
            if self._declare == "create":
                await self._make_hold(declarer, milliseconds)
            else:
                await check_queues(declarer, [self._names.hold_queue(milliseconds)], self._why_not_made)
            self._holds.add(milliseconds)

    async def states(self, paused: Collection[str], also: Sequence[str] = ()) -> list[QueueState]:
        """How the queues that we know stand; the broker does not tell everything without its management plugin."""
        declarer = Declarer(await self._link.connection())
        found = []
        for name in sorted({*self._known.lasting, *also}):
            counts = await declarer.exists(name)
            if counts is not None:
                ready, consumers = counts
                found.append(
                    QueueState(
                        name=name, ready=ready, consumers=consumers, delayed=None, running=None, oldest_age=None,
                        dead=None, paused=name in paused,
                    )
                )  # fmt: skip
        return found

    async def purge(self, queue: str) -> int:
        """Drop every waiting message of a queue."""
        declarer = Declarer(await self._link.connection())
        if await declarer.exists(queue) is None:
            raise Unavailable(
                f"There is no queue {queue!r} on the broker; `goatherd queues list` shows those there are."
            )
        return await declarer.purge(queue)

    async def _make_again(self, connection: Connection) -> None:
        """After a loss: the broker may have come back with nothing."""
        declarer = Declarer(connection)
        await self._make_surroundings(declarer)
        # A listener's queue is seen to by its consumer; one that was refused before must not keep the others waiting.
        apart = {*self._known.listened, *self._refused}
        queues = [each for each in self._known.lasting.values() if each.name not in apart]
        _raise_first(queues, await self._make_queues(declarer, queues))
        await self._bind_announcements(declarer)

    async def _make_surroundings(self, declarer: Declarer) -> None:
        """What all queues need."""
        await self._make_exchanges(declarer)
        for milliseconds in list(self._holds):
            await self._make_hold(declarer, milliseconds)
        if self._link.is_on(declarer.connection):
            self._made_on = declarer.connection

    async def _make_queues(self, declarer: Declarer, queues: Sequence[Queue]) -> Mapping[str, Exception]:
        """A few at once; gives those that were refused. Raises LinkFailed."""
        for each in {queue.exchange: queue for queue in queues if not queue.passive}.values():
            if each.exchange_type is not None:
                durable = each.exchange_durable
                await declarer.exchange(each.exchange, each.exchange_type, each.exchange_arguments, durable=durable)
        refusals: dict[str, Exception] = {}
        left = iter(queues)
        makers = [self._make_some(declarer, left, refusals) for _ in range(min(MAKERS, len(queues)))]
        for outcome in await asyncio.gather(*makers, return_exceptions=True):
            if outcome is not None:
                raise outcome
        return refusals

    async def _make_some(self, declarer: Declarer, queues: Iterator[Queue], refusals: dict[str, Exception]) -> None:
        for queue in queues:
            try:
                await self._make_queue(declarer, queue)
            except (ChannelClosed, GoatherdError) as error:
                refusals[queue.name] = error

    async def _make_exchanges(self, declarer: Declarer) -> None:
        names = self._names
        await declarer.exchange(names.dead_exchange, "fanout")
        await declarer.queue(names.dead_queue, {})
        await declarer.bind(names.dead_queue, names.dead_exchange, "")
        await declarer.exchange(names.hold_exchange, "topic")
        # Without somewhere to go, a few messages for a deleted queue would stop their whole hold queue.
        await declarer.exchange(names.due_exchange, "topic", {"alternate-exchange": names.dead_exchange})

    async def _make_queue(self, declarer: Declarer, queue: Queue) -> None:
        names = self._names
        if queue.passive:
            await check_queues(declarer, [queue.name], "passive=True")
        else:
            await declarer.queue(queue.name, queue_arguments(queue, names, self._queue_type))
        if queue.exchange and not queue.passive:
            await declarer.bind(queue.name, queue.exchange, queue.routing_key or queue.name)
        await declarer.bind(queue.name, names.due_exchange, f"*.{queue.name}")
        await self._lead_letters(declarer, names.grave_of(queue))

    async def _lead_letters(self, declarer: Declarer, grave: tuple[str, str] | None) -> None:
        """Have a contract's own dead letters among the app's, too, whoever made them."""
        if grave is None:
            return
        exchange, key = grave
        # Without it, the broker would drop whatever it gives up.
        if not await declarer.has_exchange(exchange):
            await declarer.exchange(exchange, "direct")
        await declarer.lead(exchange, key, self._names.dead_exchange)

    async def _bind_announcements(self, declarer: Declarer) -> None:
        for queue in list(self._announcements):
            await declarer.bind(queue, self._names.dead_exchange, "")

    async def _make_hold(self, declarer: Declarer, milliseconds: int) -> None:
        names = self._names
        arguments = hold_arguments(milliseconds, names, self._queue_type)
        await declarer.queue(names.hold_queue(milliseconds), arguments)
        await declarer.bind(names.hold_queue(milliseconds), names.hold_exchange, f"{milliseconds}.#")


def _raise_first(queues: Sequence[Queue], refusals: Mapping[str, Exception]) -> None:
    for queue in queues:
        if queue.name in refusals:
            raise refusals[queue.name]
