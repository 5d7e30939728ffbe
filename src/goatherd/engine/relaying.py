"""Tell watchers on another server; when that one is away, the history must not wait for it."""

import asyncio
import logging
from collections.abc import Sequence

from goatherd.errors import Unavailable
from goatherd.ports.feed import Fed
from goatherd.ports.relay import Relay

#: Seconds for which a server that did not answer is left alone.
LEFT_ALONE = 1.0
#: Jobs that are remembered to have been left out.
MOST_MISSED = 10_000

log = logging.getLogger("goatherd.router")


class Relaying:
    """What watchers were told, and whom there is to tell that something was left out."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self._left_alone_until = 0.0
        #: Whether that server did not answer when it was last told.
        self.away = False
        #: The last event that was left out, of each job.
        self._missed: dict[str, Fed] = {}
        self.relayed = 0
        self.unrelayed = 0

    async def tell(self, batch: Sequence[Fed]) -> None:
        """Tell watchers, as well as can be: those who were left out see a hole and read the log themselves."""
        if asyncio.get_running_loop().time() < self._left_alone_until:
            self._miss(batch)
            return
        try:
            if self._missed:
                # One event of each job is enough to make its watchers look.
                await self._relay.publish(list(self._missed.values()))
                self._missed.clear()
            if batch:
                self.relayed += await self._relay.publish(batch)
        except Unavailable as error:
            self._lost(error)
            self._miss(batch)
        else:
            self._recovered()

    def _miss(self, batch: Sequence[Fed]) -> None:
        self.unrelayed += len(batch)
        for fed in batch:
            if fed.job in self._missed or len(self._missed) < MOST_MISSED:
                self._missed[fed.job] = fed

    def _lost(self, error: Unavailable) -> None:
        self._left_alone_until = asyncio.get_running_loop().time() + LEFT_ALONE
        if not self.away:
            log.warning("Watchers cannot be told of events and look for themselves: %s", error)
        self.away = True

    def _recovered(self) -> None:
        if self.away:
            log.warning("Watchers are told of events again")
        self.away = False
