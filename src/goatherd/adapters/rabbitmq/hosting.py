"""Where consumers live: on a channel of their own, or many on one, and on a further connection when one is full."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import LinkLost
from goatherd.adapters.rabbitmq.hearing import Hearing
from goatherd.adapters.rabbitmq.host import Guest, Host
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.recovery import Recovery
from goatherd.errors import GoatherdError

if TYPE_CHECKING:
    from goatherd.adapters.rabbitmq.subscription import Subscription

#: Consumers that share a channel, at most: what closes a channel ends all of them.
MOST_CONSUMERS = 200
#: Channels of consumers on one connection, at most, and those of the agreed number that are left for other uses.
MOST_CHANNELS, LEFT_FOR_OTHERS = 50, 16
#: Seconds within which a further connection must be there.
PATIENCE = 20.0

log = logging.getLogger("goatherd.rabbitmq")


class Hosting:
    """Of one broker."""

    def __init__(self, link: Link, another: Callable[[int], Link] | None = None) -> None:
        #: The connection of all who have a channel of their own from the start, and of the first of the others.
        self.link = link
        self.links = [link]
        self._another = another
        self._hosts: dict[Host, Link] = {}
        self._finding = asyncio.Lock()
        self._under_way: set[asyncio.Task[Any]] = set()
        #: All consumers that have been started and have not ended for good.
        self.members: dict[Subscription, None] = {}
        self.recovery = Recovery()
        self.hearing = Hearing(self)

    @property
    def channels(self) -> int:
        """How many there are now."""
        return len(self._hosts)

    async def own_place(self, guest: Guest, connection: Connection) -> Host:
        """A channel of its own on a certain connection; raises LinkFailed."""
        return self._seated(guest, await self._open(self.link, connection, 1))

    async def place(self, guest: Guest, *, alone: bool) -> Host:
        """A place among others or, `alone`, a channel of its own; raises LinkFailed or Unavailable."""
        # One at a time: all who find no room at the same moment would open a channel each.
        async with self._finding:
            host = None if alone else next((host for host in self._hosts if host.is_shared and host.has_room), None)
            if host is None:
                link = await self._link_with_room()
                async with asyncio.timeout(PATIENCE):
                    connection = await link.connection()
                host = await self._open(link, connection, 1 if alone else MOST_CONSUMERS)
            return self._seated(guest, host)

    async def see_through(self, doing: Coroutine[Any, Any, None]) -> None:
        """Do it to its end, even if the caller gives up: a question that is given up ends the channel for all on it."""
        task = asyncio.create_task(doing, name="goatherd end of a consumer")
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.shield(task)

    async def sweep(self) -> None:
        """Give back the channels that nobody needs any more."""
        for host in list(self._hosts):
            # Looked at only now, for while another one was closed somebody may have come to this one.
            if host.is_idle:
                await host.close()

    async def close(self) -> None:
        """End all consumers; what they have not settled goes back."""
        await self._halt()
        for member in list(self.members):
            await member.close()
        if self._under_way:
            await asyncio.gather(*self._under_way, return_exceptions=True)
        for host in list(self._hosts):
            await host.close()
        for link in self.links[1:]:
            await link.close()

    async def vanish(self) -> None:
        """Be gone as a process that dies."""
        await self._halt()
        for link in self.links[1:]:
            await link.abort()

    async def _halt(self) -> None:
        await self.hearing.close()
        await self.recovery.close()

    def _seated(self, guest: Guest, host: Host) -> Host:
        host.seat(guest)
        self.hearing.begin()
        return host

    async def _open(self, link: Link, connection: Connection, room: int) -> Host:
        host = Host(await connection.open_channel(), room, self._gone)
        if host.channel.failed is None:
            self._hosts[host] = link
        return host

    def _gone(self, host: Host) -> None:
        self._hosts.pop(host, None)

    async def _link_with_room(self) -> Link:
        """One on which there may be a channel more, if possible one that is up."""
        fit = [link for link in self.links if self._has_room(link)]
        if fit:
            return next((link for link in fit if link.state in ("up", "blocked")), fit[0])
        if self._another is None:
            return self.links[-1]
        link = self._another(len(self.links) + 1)
        try:
            await link.open()
        except GoatherdError as error:
            raise LinkLost(f"no further connection for consumers: {error}") from error
        self.links.append(link)
        log.info("A further connection is needed for consumers; there are %d now", len(self.links))
        return link

    def _has_room(self, link: Link) -> bool:
        used = sum(each is link for each in self._hosts.values())
        agreed = link.most_channels
        return used < max(1, min(MOST_CHANNELS, agreed - LEFT_FOR_OTHERS))
