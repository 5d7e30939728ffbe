"""The tallies port on Redis; what is kept is said in `lua/tally_add.lua` and `lua/tally_seal.lua`."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.commands import Commands
from goatherd.adapters.redis.lane_jobs import MICRO, microseconds, written
from goatherd.adapters.redis.lane_names import LaneNames
from goatherd.adapters.redis.scripts import (
    OF_TALLIES,
    TALLY_ADD,
    TALLY_DONE,
    TALLY_LOOK,
    TALLY_POST,
    TALLY_SEAL,
)
from goatherd.model.lane import LaneItem
from goatherd.model.tally import LARGEST, REMEMBERED_FOR, Batch, Sealed, too_large

#: Batches that become jobs in one step: the server does nothing else meanwhile.
MOST_AT_ONCE = 500


class TallyNames(msgspec.Struct, frozen=True):
    """The keys of one tally, on the same server of a cluster as the lanes of its app."""

    app: str
    tally: str

    def part(self, what: str) -> str:
        """The name of one of its parts. A tally's name has its length before it, so that no two share a key."""
        return f"{{{self.app}}}:tallies:1:{len(self.tally)}:{self.tally}:{what}"

    def id(self, told: str) -> str:
        """Whether an addition of that id was counted."""
        return self.part(f"id:{told}")


class RedisTallies:
    """Satisfies `Tallies`."""

    def __init__(self, address: Address, app: str, deadline: float, now: Callable[[], float] | None = None) -> None:
        self._app = app
        self._commands = Commands(address, deadline, OF_TALLIES)
        self._lanes = LaneNames(app)
        self._now = now

    async def open(self) -> None:
        """Connect; raises Unavailable or SettingsError."""
        await self._commands.open()

    async def ask(self, *command: str) -> Any:
        """The server's answer to a question about itself."""
        return await self._commands.do(*command)

    async def add(self, tally: str, key: str, amount: int, id: str | None = None) -> bool:
        keys = self._keys(tally, "counters", "above", "state")
        if id is not None:
            keys = (*keys, TallyNames(self._app, tally).id(id))
        arguments = (self._time(), key, amount, LARGEST, round(REMEMBERED_FOR * 1000))
        told = await self._commands.run(TALLY_ADD, keys, *arguments, once=id is None)
        if told < 0:
            raise too_large(tally, key, amount)
        return bool(told)

    async def seal(self, tally: str, every: float, limit: int) -> Sealed:
        keys = self._keys(tally, "counters", "above", "state", "batches", "sealed")
        told = await self._commands.run(TALLY_SEAL, keys, self._time(), microseconds(every), max(1, limit))
        batches = [
            Batch(key=key.decode(), seq=int(seq), total=int(total))
            for key, seq, total in zip(told[1::3], told[2::3], told[3::3], strict=True)
        ]
        return Sealed(batches=batches, next_due=int(told[0]) / MICRO)

    async def post(self, tally: str, batches: Sequence[tuple[Batch, LaneItem]]) -> int:
        keys = (*self._lanes.all, *self._keys(tally, "batches", "sealed"))
        put = 0
        for some in _in_parts(batches):
            arguments: list[Any] = [self._time(), self._lanes.channel]
            for batch, item in some:
                arguments += (batch.key, batch.seq, item.lane, item.queue, written(item))
            put += await self._commands.run(TALLY_POST, keys, *arguments)
        return put

    async def done(self, tally: str, batches: Sequence[Batch]) -> None:
        keys = self._keys(tally, "batches", "sealed")
        for some in _in_parts(batches):
            flat = [part for batch in some for part in (batch.key, batch.seq)]
            await self._commands.run(TALLY_DONE, keys, *flat)

    async def waiting(self, tally: str) -> tuple[int, int]:
        keys, totals = await self._commands.run(TALLY_LOOK, self._keys(tally, "counters", "batches"))
        return keys, sum(map(int, totals))

    async def close(self) -> None:
        await self._commands.close()

    def _keys(self, tally: str, *parts: str) -> tuple[str, ...]:
        names = TallyNames(self._app, tally)
        return tuple(names.part(part) for part in parts)

    def _time(self) -> int:
        return 0 if self._now is None else microseconds(self._now())


def _in_parts(whole: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(whole), MOST_AT_ONCE):
        yield whole[start : start + MOST_AT_ONCE]
