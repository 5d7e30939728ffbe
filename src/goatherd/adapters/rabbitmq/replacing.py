"""Whether a queue or an exchange that is missing is only being replaced, and when it is back.

While `goatherd topology apply` replaces one, a stand-in tells so, also when the command was killed in the middle.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from enum import Enum
from typing import Literal, TypeAlias

from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import GoatherdError
from goatherd.model.stand_in import stand_in_of

#: Seconds between two looks at what is away: at first, and doubled up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 0.5

#: What to do where that takes long.
GO_ON = "`goatherd topology apply` goes on with a replacement that was begun."
#: Looks whose answers are kept, for those who asked in the same moment.
MOST_SEEN = 1000

log = logging.getLogger("goatherd.rabbitmq")

Kind: TypeAlias = Literal["queue", "exchange"]


class Sight(Enum):
    """What a look at a queue or an exchange shows."""

    THERE = "it is there"
    AWAY = "it is being replaced, and not there now"
    MISSING = "it is not there, and nothing stands in for it"


class Replacing:
    """Of one broker, for all in this process who miss something there."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._asking = asyncio.Lock()
        #: What was seen last, and when that was asked.
        self._seen: dict[tuple[Kind, str], tuple[float, Sight]] = {}
        #: Exchanges that were away when they were last looked at: what is sent there costs the channel.
        self.away: set[str] = set()
        #: Makes the way from an exchange, with a routing key, to a queue of ours anew; raises LinkFailed.
        self.on_lost_way: Callable[[str, str], Awaitable[None]] | None = None

    def holds_back(self, messages: Iterable[Outgoing]) -> bool:
        """Whether one of them is for an exchange that is away."""
        return any(message.exchange in self.away for message in messages)

    @property
    def in_words(self) -> str:
        """Which exchanges are away, and what to do."""
        named = ", ".join(repr(name) for name in sorted(self.away))
        return f"Not done in time: being replaced and not back yet: {named}. {GO_ON} Then try again."

    async def mend(self, exchange: str, routing_key: str) -> None:
        """Make a way of ours anew that somebody took away; whether that helped, the next message shows."""
        if self.on_lost_way is not None:
            try:
                await self.on_lost_way(exchange, routing_key)
            except (LinkFailed, GoatherdError) as error:
                log.warning("The way from %r to the queue %r cannot be made anew: %s", exchange, routing_key, error)

    async def look(self, kind: Kind, name: str) -> Sight:
        """How it stands now; all who ask in the same moment share the answer."""
        thing = (kind, name)
        loop = asyncio.get_running_loop()
        came = loop.time()
        async with self._asking:
            asked, sight = self._seen.get(thing, (-1.0, Sight.MISSING))
            if asked < came:
                asked = loop.time()
                sight = await self._ask(kind, name)
                self._note(kind, name, sight)
                if len(self._seen) >= MOST_SEEN:
                    self._seen.clear()
                self._seen[thing] = (asked, sight)
            return sight

    async def is_away(self, queue: str) -> bool:
        """Whether a queue is not there because it is being replaced."""
        return await self.look("queue", queue) is Sight.AWAY

    async def has_stand_in(self, kind: Kind, name: str) -> bool:
        """Whether its replacement was begun and is not finished, whether it is there again or not."""
        return await self._insist(kind, stand_in_of(name))

    async def waiting_aside(self, queue: str) -> int | None:
        """How many messages wait in a queue's stand-in; None if it has none."""
        counts = await Declarer(await self._link.connection()).exists(stand_in_of(queue))
        return None if counts is None else counts[0]

    async def until_back(self, kind: Kind, name: str) -> bool:
        """Wait while it is being replaced; tells whether it is there. As long as the caller waits."""
        pause = FIRST_PAUSE
        while (sight := await self.look(kind, name)) is Sight.AWAY:
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        return sight is Sight.THERE

    async def _ask(self, kind: Kind, name: str) -> Sight:
        if await self._insist(kind, name):
            return Sight.THERE
        if await self._insist(kind, stand_in_of(name)):
            return Sight.AWAY
        # It may have come back, and its stand-in gone, between the two questions.
        return Sight.THERE if await self._insist(kind, name) else Sight.MISSING

    async def _insist(self, kind: Kind, name: str) -> bool:
        """Whether it exists; asked again on the next connection if one was lost, as long as the caller waits."""
        while True:
            try:
                declarer = Declarer(await self._link.connection())
                if kind == "exchange":
                    return await declarer.has_exchange(name)
                return await declarer.exists(name) is not None
            except (ChannelClosed, ValueError, TypeError) as error:
                # The broker does not tell this user, or nobody can ask for such a name.
                log.debug("Whether there is a %s %r cannot be asked: %s", kind, name, error)
                return False
            except LinkFailed as error:
                log.debug("Whether there is a %s %r is asked again: %s", kind, name, error)
                await asyncio.sleep(FIRST_PAUSE)

    def _note(self, kind: Kind, name: str, sight: Sight) -> None:
        was_away = (kind, name) in self._seen and self._seen[kind, name][1] is Sight.AWAY
        if sight is Sight.AWAY and not was_away:
            log.warning("The %s %r is being replaced; messages for it wait until it is back", kind, name)
        elif was_away and sight is Sight.THERE:
            log.warning("The %s %r is back", kind, name)
        if kind == "exchange":
            (self.away.add if sight is Sight.AWAY else self.away.discard)(name)
