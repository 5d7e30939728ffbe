"""Have the broker itself move messages, by a shovel, where that plugin is enabled.

It is made for as many messages as wait now and goes by itself when it has moved them, so that one whose maker was
killed does not go on for ever. No password is kept in it: it speaks with the broker from within.
"""

import asyncio
import logging
import time
from urllib.parse import quote

from goatherd.adapters.rabbitmq.counts import Counts
from goatherd.adapters.rabbitmq.management import Management, NotThere, path_of
from goatherd.adapters.rabbitmq.pace import Pace
from goatherd.adapters.rabbitmq.solitude import Solitude
from goatherd.errors import SettingsError, Unavailable

#: There is one for a virtual host, because only one program at a time changes it.
NAME = "goatherd.move.v1"
#: Seconds between two looks.
LOOK_EVERY = 0.1
#: Seconds without a message moved after which it is done in another way.
STANDSTILL = 5.0
#: Seconds after which a shovel has nothing more to do if nothing waits: what it counted may have expired meanwhile.
LULL = 2.0
#: Seconds within which one that is done or deleted is gone.
FAREWELL = 10.0

log = logging.getLogger("goatherd.rabbitmq")


class Shovel:
    """The shovel of one virtual host."""

    def __init__(self, management: Management, counts: Counts, virtual_host: str, solitude: Solitude) -> None:
        self._management = management
        self._counts = counts
        self._solitude = solitude
        self._uri = f"amqp:///{quote(virtual_host, safe='')}"
        self._path = path_of("parameters", "shovel", virtual_host, NAME)

    async def move(self, source: str, exchange: str, pace: Pace) -> bool:
        """Whether nothing waits there any more; not if the broker has no shovels, or this one does not work.

        Raises Unavailable.
        """
        while waiting := await self._counts.waiting(source):
            others = await self._counts.consumers(source)
            self._solitude.check()
            if not await self._begun(source, exchange):
                return False
            try:
                await self._watch(source, waiting, pace)
            finally:
                # It has the same name for all: once we are not alone, it could be somebody else's.
                if not self._solitude.is_lost:
                    await self.clear()
                    await self._until_left(source, others)
            if pace.stands_still_for(STANDSTILL):
                log.warning("The shovel %r moves nothing from %r; it is done without it", NAME, source)
                return False
        pace.tell(at_once=True)
        return True

    async def clear(self) -> None:
        """Delete it, also one that somebody left behind who was killed; raises Unavailable."""
        try:
            await self._management.ask(self._path, "DELETE")
        except NotThere:
            return
        except SettingsError as error:
            # Who may not delete it could not have made it either.
            log.debug("There is no shovel of ours to delete: %s", error)

    async def _begun(self, source: str, exchange: str) -> bool:
        value = {
            "src-protocol": "amqp091", "src-uri": self._uri, "src-queue": source, "src-delete-after": "queue-length",
            "dest-protocol": "amqp091", "dest-uri": self._uri, "dest-exchange": exchange,
            "ack-mode": "on-confirm", "reconnect-delay": 1,
        }  # fmt: skip
        try:
            await self.clear()
            await self._management.ask(self._path, "PUT", {"value": value})
        except (SettingsError, NotThere, Unavailable) as error:
            # Whether the plugin is missing or this user may not use it: it can be done without.
            log.debug("No shovel moves what is in %r: %s", source, error)
            return False
        return True

    async def _watch(self, source: str, waiting: int, pace: Pace) -> None:
        """Until it is done, or seems to do nothing."""
        empty_since: float | None = None
        while not await self._is_gone() and not pace.stands_still_for(STANDSTILL):
            self._solitude.check()
            left = await self._counts.waiting(source)
            pace.add(waiting - left)
            pace.tell()
            waiting = min(waiting, left)
            empty_since = (empty_since or time.monotonic()) if not left else None
            if empty_since is not None and time.monotonic() - empty_since > LULL:
                return
            await asyncio.sleep(LOOK_EVERY)
        pace.add(waiting - await self._counts.waiting(source))

    async def _is_gone(self) -> bool:
        try:
            await self._management.ask(self._path)
        except NotThere:
            return True
        return False

    async def _until_left(self, source: str, others: int) -> None:
        """Until it consumes no more: a moment later than it is deleted."""
        until = time.monotonic() + FAREWELL
        while True:
            if await self._counts.consumers(source) <= others or time.monotonic() > until:
                return
            await asyncio.sleep(LOOK_EVERY)
