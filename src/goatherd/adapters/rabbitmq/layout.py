"""Everything of an app on the broker: made when the app starts and again after a loss, or looked at only."""

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence

from goatherd.adapters.rabbitmq.besides import Besides
from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.holds import Holds
from goatherd.adapters.rabbitmq.inspection import check_everything, check_queues
from goatherd.adapters.rabbitmq.known import KnownQueues
from goatherd.adapters.rabbitmq.led_aside import led_aside
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.making import Maker
from goatherd.adapters.rabbitmq.names import Names
from goatherd.adapters.rabbitmq.topology import Declare, Declarer, QueueType
from goatherd.adapters.rabbitmq.ways import Ways
from goatherd.errors import GoatherdError, Unavailable
from goatherd.model.blueprint import Blueprint
from goatherd.model.topology import Queue, QueueState

log = logging.getLogger("goatherd.rabbitmq")


class Layout:
    """Makes what is missing and knows what is wanted; its `ways` lead to the queues, its `holds` are for delays."""

    def __init__(
        self,
        links: Sequence[Link],
        app: str,
        declare: Declare,
        queue_type: QueueType,
        besides: Blueprint | None = None,
    ) -> None:
        #: Everything is asked on the first; after a loss of either, what is missing must be there before it is used.
        self._links = links
        self._link = links[0]
        self._names = Names(app)
        self._declare = declare
        self._queue_type = queue_type
        self._besides = Besides(besides or Blueprint())
        self._known = KnownQueues()
        self.ways = Ways(self._names, self._known)
        self.holds = Holds(self._link, self._names, declare, queue_type)
        #: Whether a queue is paused; has so many seconds to tell, and raises Unavailable.
        self.is_paused: Callable[[str, float], Awaitable[bool]] = _never
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

    def known_queues(self) -> list[str]:
        """Every queue that this app declares, but for those that come and go."""
        return sorted(self._known.lasting)

    async def declare(self, queues: Sequence[Queue]) -> None:
        """Make the queues, and all that they and the app's topology need; raises TopologyMismatch.

        All that can be made are made before the first that is refused is told of.
        """
        only_new = not self._known.has_any(queues)
        self._known.add(queues)
        self.ways.learn(queues)
        if self._declare == "never":
            return
        connection = await self._link.connection()
        declarer = Declarer(connection)
        if self._declare == "check":
            # What is ours and always there was looked at as a whole when the app was opened.
            others = [queue for queue in queues if queue.one_of_many or queue.passive]
            await check_everything(declarer, self._names, others, self._queue_type)
            return
        # What is asked for a second time is missing, and that may be what all queues need.
        _raise_first(await self._make(declarer, queues, anew=not only_new or self._made_on is not connection))

    async def have(self, queue: str, *, again: bool) -> None:
        """See that a queue is there before a listener consumes it, making it again if it is ours to make.

        With `again` it was consumed before, and may have become another one meanwhile.
        Raises Unavailable, TopologyMismatch or LinkFailed.
        """
        declarer = Declarer(await self._link.connection())
        described = self._known.find(queue)
        if self._declare != "create" or described is None or described.passive:
            await check_queues(declarer, [queue], "passive=True" if self._declare == "create" else self._why_not_made)
            return
        maker = self._maker(declarer)
        if await declarer.exists(queue) is None:
            await maker.make_queue(described)
        elif again:
            # Somebody may have deleted it and made it anew, without the ways by which jobs come to it.
            await maker.bind(described)
        else:
            return
        _raise_first(await self._besides.bind_queues(declarer, {queue}))

    async def bind_again(self, queue: str, *, again: bool) -> None:
        """Let jobs find a queue that somebody may have made anew since it was consumed; one that is gone stays so.

        Raises LinkLost.
        """
        described = self._known.find(queue)
        if not again or self._declare != "create" or described is None:
            return
        try:
            await self._bind_again(described)
        except (ChannelClosed, GoatherdError) as error:
            # What is in it can be worked on all the same.
            log.warning("Jobs may not find the way to the queue %r: %s", queue, error)

    async def mend(self, exchange: str, routing_key: str) -> None:
        """A message came back from the app's own exchange: bind its queue again, if that is there; raises LinkFailed.

        Whoever deletes a queue and makes it anew does not know how jobs come to it.
        """
        described = self._known.lasting.get(routing_key)
        if self._declare != "create" or described is None or exchange != self._names.work_exchange:
            return
        if await self._bind_again(described):
            log.warning("Jobs did not find the queue %r any more; it was bound to %r again", routing_key, exchange)

    def listen(self, queue: str) -> None:
        """A listener looks after this queue from now on, so that whatever is wrong with it concerns nobody else."""
        self._known.listen(queue)

    def is_listened(self, queue: str) -> bool:
        """Whether somebody looks after it, and makes it again if it is gone."""
        return queue in self._known.listened

    def forget(self, queue: str) -> None:
        """A listener of this queue has ended; with the last one nothing is remembered of it."""
        self._known.forget(queue)

    async def must_exist(self, queue: str) -> None:
        """Raise Unavailable unless the queue is there."""
        await check_queues(Declarer(await self._link.connection()), [queue], self._why_not_made)

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

    async def _make(self, declarer: Declarer, queues: Sequence[Queue], *, anew: bool) -> Sequence[Exception]:
        """Make queues and, `anew`, all that is around them; gives the refusals."""
        names = {queue.name for queue in queues if not queue.one_of_many}
        aside = await led_aside(declarer, names | (self._bound if anew else set()), self.is_paused)
        refusals = [*await self._make_surroundings(declarer, aside)] if anew else []
        for link in self._links:
            link.on_next_up(self._make_again)
        maker = self._maker(declarer, aside)
        refused = await maker.make_queues(queues)
        self._refused -= {queue.name for queue in queues}
        self._refused |= {queue.name for queue in queues if queue.name in refused and not queue.one_of_many}
        await maker.bind_announcements(self._known.announcements)
        refusals += [refused[queue.name] for queue in queues if queue.name in refused]
        if anew:
            return [*refusals, *await self._besides.bind(declarer, aside)]
        return [*refusals, *await self._besides.bind_queues(declarer, {queue.name for queue in queues} - aside)]

    @property
    def _bound(self) -> set[str]:
        """The queues that are bound whenever what all queues need is made."""
        return {self._names.dead_queue, *self._known.announcements, *self._besides.queues}

    async def _bind_again(self, queue: Queue) -> bool:
        declarer = Declarer(await self._link.connection())
        if await declarer.exists(queue.name) is None:
            return False
        aside = await led_aside(declarer, {queue.name, self._names.dead_queue})
        if queue.name in aside:
            return False
        maker = self._maker(declarer, aside)
        await maker.make_surroundings()
        await maker.bind(queue)
        await maker.bind_announcements({queue.name} & self._known.announcements)
        _raise_first(await self._besides.bind_queues(declarer, {queue.name}))
        return True

    async def _make_again(self, connection: Connection) -> None:
        """After a loss: the broker may have come back with nothing."""
        declarer = Declarer(connection)
        # A listener's queue is seen to by its consumer; one that was refused before must not keep the others waiting.
        apart = {*self._known.listened, *self._refused}
        queues = [each for each in self._known.lasting.values() if each.name not in apart]
        # Whether they are paused cannot be asked before both connections are up.
        aside = await led_aside(declarer, {each.name for each in queues} | self._bound)
        different = [*await self._make_surroundings(declarer, aside)]
        maker = self._maker(declarer, aside)
        _raise_first(list((await maker.make_queues(queues)).values()))
        await maker.bind_announcements(self._known.announcements)
        different += await self._besides.bind(declarer, aside)
        for refusal in different:
            # Jobs do not need it, so they go on.
            log.warning("Not all of the app's topology could be made again: %s", refusal)

    async def _make_surroundings(self, declarer: Declarer, aside: Collection[str]) -> Sequence[Exception]:
        """What all queues need, and what is wanted besides; gives what of the latter was refused."""
        await self._maker(declarer, aside).make_surroundings()
        await self.holds.make_again(declarer)
        refusals = await self._besides.make_things(declarer)
        if self._link.is_on(declarer.connection):
            self._made_on = declarer.connection
        return refusals

    def _maker(self, declarer: Declarer, aside: Collection[str] = ()) -> Maker:
        return Maker(declarer, self._names, self._queue_type, aside)


async def _never(_queue: str, _deadline: float) -> bool:
    return False


def _raise_first(refusals: Sequence[Exception]) -> None:
    if refusals:
        raise refusals[0]
