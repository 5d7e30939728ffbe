"""Move messages from queue to queue in the way that the broker offers: by a shovel, else by ourselves."""

import logging

from goatherd.adapters.rabbitmq.asking import Asking
from goatherd.adapters.rabbitmq.counts import Counts
from goatherd.adapters.rabbitmq.management import Management, NoManagement
from goatherd.adapters.rabbitmq.mover import Mover
from goatherd.adapters.rabbitmq.pace import Pace
from goatherd.adapters.rabbitmq.shovel import Shovel
from goatherd.adapters.rabbitmq.solitude import Solitude
from goatherd.adapters.rabbitmq.way_aside import close_ways, way_to
from goatherd.errors import SettingsError, Unavailable
from goatherd.ports.plumbing import Moved

log = logging.getLogger("goatherd.rabbitmq")


class Movers:
    """Those of one virtual host."""

    def __init__(
        self,
        asking: Asking,
        counts: Counts,
        management: Management | None,
        virtual_host: str,
        solitude: Solitude,
    ) -> None:
        self._asking = asking
        self._counts = counts
        self._management = management
        self._virtual_host = virtual_host
        self._solitude = solitude
        self._shovel = None if management is None else Shovel(management, counts, virtual_host, solitude)

    async def move(self, source: str, to: str, moved: Moved) -> None:
        """See `Plumbing.move`."""
        await self._check(source, to)
        if not await self._counts.waiting(source):
            return
        async with way_to(self._asking, to, self._solitude) as exchange:
            pace = Pace(source, moved)
            if self._shovel is None or not await self._shovel.move(source, exchange, pace):
                self._solitude.check()
                await Mover(self._asking, self._counts, source, to, exchange).run(pace.restarted())

    async def clear(self) -> None:
        """Put an end to what somebody left behind who was killed while messages were moved; raises Unavailable."""
        if self._management is None or self._shovel is None:
            return
        try:
            await self._shovel.clear()
            await close_ways(self._asking, self._management, self._virtual_host)
        except (NoManagement, SettingsError) as error:
            # Then whoever was killed did not do it by a shovel either, and an exchange that is left does no harm.
            log.debug("What was left behind is not seen: %s", error)

    async def _check(self, source: str, to: str) -> None:
        for queue in (source, to):
            look = await self._counts.look(queue)
            if look is None:
                raise Unavailable(
                    f"Nothing can be moved from the queue {source!r} to {to!r}: there is no {queue!r}. Try again."
                )
            if look[1] == "stream" and queue == source:
                raise Unavailable(
                    f"Nothing can be moved from {source!r}: it is a stream, in which all stays that is read."
                )
