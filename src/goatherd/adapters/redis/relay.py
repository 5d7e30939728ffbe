"""Tell the live server what happens on the server of the events."""

from collections.abc import Sequence
from typing import Any

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.commands import Commands
from goatherd.adapters.redis.names import PUBLISHED, Names
from goatherd.adapters.redis.scripts import OF_RELAY
from goatherd.adapters.redis.scripts import RELAY as TELL
from goatherd.ports.feed import Fed

#: Seconds for which it is remembered how far a job's watchers were told.
REMEMBERED_FOR = 7200.0


class RedisRelay:
    """Satisfies `Relay`."""

    def __init__(self, live: Address, names: Names, deadline: float) -> None:
        self._names = names
        self._commands = Commands(live, deadline, OF_RELAY)

    async def open(self) -> None:
        """Connect; raises Unavailable or SettingsError."""
        await self._commands.open()

    async def publish(self, events: Sequence[Fed]) -> int:
        by_job: dict[str, list[Fed]] = {}
        for fed in events:
            by_job.setdefault(fed.job, []).append(fed)
        counts = await self._commands.run_all(TELL, (self._call(job, told) for job, told in by_job.items()))
        return sum(counts)

    async def close(self) -> None:
        await self._commands.close()

    def _call(self, job: str, events: Sequence[Fed]) -> tuple[tuple[str, ...], Sequence[Any]]:
        lines = [part for fed in events for part in (fed.position.epoch, fed.position.seq, _line(fed))]
        return (PUBLISHED + job,), [self._names.channel(job), round(REMEMBERED_FOR * 1000), *lines]


def _line(fed: Fed) -> bytes:
    """The event as watchers get it; nothing if they must read it in the log."""
    return f"{fed.position} {fed.kind} ".encode() + fed.body if fed.body else b""
