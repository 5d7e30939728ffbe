"""The feed of routers on Redis: one stream for each shard, read by one group."""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from redis.exceptions import ResponseError

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.commands import Commands
from goatherd.adapters.redis.failures import in_our_words
from goatherd.adapters.redis.fed import Page, claimed, fed_of, note_of_failure
from goatherd.adapters.redis.names import Names
from goatherd.adapters.redis.scripts import HOLD, JOIN, LAG, OF_FEED, SETTLE
from goatherd.adapters.redis.tap import Tap
from goatherd.errors import Unavailable
from goatherd.ports.feed import FED_FOR, LEASE, Fed, Lag, Reclaimed

#: Seconds for which failed jobs are told to other programs, and how many of them.
DEAD_FOR, MOST_DEAD = 7 * 24 * 3600.0, 10_000
#: Seconds between two looks by a router for which nothing is left, and after which one that owes nothing is forgotten.
LOOK_EVERY, GONE_AFTER = 1.0, 3600.0
#: Seconds for a farewell.
LAST_MOMENT = 2.0
#: More would be too many for one call of a script.
MOST_AT_ONCE = 1000

log = logging.getLogger("goatherd.redis")


class RedisFeed:
    """Satisfies `Feed`."""

    def __init__(self, address: Address, names: Names, group: str, deadline: float) -> None:
        self._address = address
        self._names = names
        self._group = group
        self._commands = Commands(address, deadline, OF_FEED)
        self._tap = Tap(address, "goatherd-router")
        self._router = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"
        self._held: list[int] = []
        #: Shards on which something may have been taken that we never got, and how far that was looked for.
        self._unsure: dict[int, str] = {}
        self._held_until = 0.0
        #: What was taken and not settled, by shard.
        self._unsettled: dict[int, set[str]] = {}
        self._joined = False

    async def open(self) -> None:
        """Connect; raises Unavailable or SettingsError."""
        await self._commands.open()

    async def take(self, limit: int, wait: float) -> Sequence[Fed]:
        await self._hold()
        if not self._held:
            await asyncio.sleep(min(wait, LOOK_EVERY))
            return []
        try:
            if self._unsure:
                return self._given(await self._owed(min(limit, MOST_AT_ONCE)))
            return self._given(await self._read(limit, min(wait, LEASE / 3)))
        except BaseException:
            self._unsure = dict.fromkeys(self._held, "0-0")
            raise

    async def settle(self, taken: Sequence[Fed], dead: Sequence[Fed] = ()) -> None:
        ends = {(fed.shard, fed.place): fed for fed in dead}
        by_shard: dict[int, list[Fed]] = {}
        for fed in taken:
            by_shard.setdefault(fed.shard, []).append(fed)
        chunks = [
            (shard, events[start : start + MOST_AT_ONCE])
            for shard, events in by_shard.items()
            for start in range(0, len(events), MOST_AT_ONCE)
        ]
        await self._commands.run_all(SETTLE, (self._settling(shard, events, ends) for shard, events in chunks))
        for fed in taken:
            self._unsettled.get(fed.shard, set()).discard(fed.place)

    async def reclaim(self, idle: float, limit: int) -> Reclaimed:
        events: list[Fed] = []
        vanished = 0
        for shard in tuple(self._held):
            cursor, found = "0-0", 0
            while found < limit:
                page = await self._claim(shard, idle, cursor, min(limit - found, MOST_AT_ONCE))
                events += page.events
                vanished += page.vanished
                cursor, found = page.cursor, found + len(page.events)
                if cursor == "0-0":
                    break
        return Reclaimed(events=self._given(events), vanished=vanished)

    async def lag(self) -> Lag:
        arguments = (self._group, round(GONE_AFTER * 1000))
        shards = await self._commands.run_all(LAG, (((shard,), arguments) for shard in self._names.all_shards))
        dropped = await self._commands.do("GET", self._names.dropped)
        oldest = [int(first.partition(b"-")[0]) / 1000 for _, _, first in shards if first]
        return Lag(
            waiting=sum(waiting for waiting, _, _ in shards),
            unsettled=sum(unsettled for _, unsettled, _ in shards),
            seconds=max(0.0, time.time() - min(oldest)) if oldest else 0.0,
            dropped=int(dropped or 0),
        )

    async def close(self) -> None:
        try:
            await self._tap.close()
            if self._held_until:
                await self._leave()
        finally:
            await self._commands.close()

    async def vanish(self) -> None:
        """Be gone as after `kill -9`, for tests of what others do then."""
        self._held_until = 0.0
        await self.close()

    async def _leave(self) -> None:
        self._held_until = 0.0
        try:
            async with asyncio.timeout(LAST_MOMENT):
                await self._commands.run(HOLD, self._names.routers, self._router, 0, self._names.shards)
        except (TimeoutError, Unavailable) as error:
            log.warning("Other routers take over only after %g s: %s", LEASE, error)

    async def _hold(self) -> None:
        """Hold our share of the shards; others give up theirs, and take ours, at their next look."""
        loop = asyncio.get_running_loop()
        if not self._joined:
            await self._commands.run(JOIN, self._names.all_shards, self._group, round(FED_FOR * 1000))
            self._joined = True
        if self._held and loop.time() < self._held_until - LEASE * 2 / 3:
            return
        asked = loop.time()
        busy = (shard for shard, places in self._unsettled.items() if places)
        arguments = (self._router, round(LEASE * 1000), self._names.shards, *busy)
        held = await self._commands.run(HOLD, self._names.routers, *arguments)
        # Where another was before, or we were silent for too long, things may have been left undone.
        lapsed = asked >= self._held_until
        for shard in held:
            if lapsed or shard not in self._held:
                self._unsure[shard] = "0-0"
        self._unsure = {shard: place for shard, place in self._unsure.items() if shard in held}
        self._unsettled = {shard: places for shard, places in self._unsettled.items() if shard in held}
        self._held, self._held_until = held, asked + LEASE

    def _given(self, events: list[Fed]) -> list[Fed]:
        for fed in events:
            self._unsettled.setdefault(fed.shard, set()).add(fed.place)
        return events

    async def _read(self, limit: int, wait: float) -> list[Fed]:
        keys = [self._names.shard(shard) for shard in self._held]
        command = ("XREADGROUP", "GROUP", self._group, self._router, "COUNT", limit)
        waiting = ("BLOCK", max(1, round(wait * 1000)), "STREAMS", *keys, *(">" for _ in keys))
        found = await self._ask(*command, *waiting, patience=wait)
        shards = {key.encode(): shard for key, shard in zip(keys, self._held, strict=True)}
        return [fed for key, entries in found or () for fed in await self._legible(shards[key], entries)]

    async def _owed(self, limit: int) -> list[Fed]:
        """What was taken on shards that are ours now, by whomever, and not settled: before anything newer."""
        events: list[Fed] = []
        for shard, cursor in tuple(self._unsure.items()):
            page = await self._claim(shard, 0.0, cursor, limit)
            events += page.events
            if page.cursor == "0-0":
                del self._unsure[shard]
            else:
                self._unsure[shard] = page.cursor
        return events

    async def _claim(self, shard: int, idle: float, cursor: str, limit: int) -> Page:
        command = ("XAUTOCLAIM", self._names.shard(shard), self._group, self._router, round(idle * 1000), cursor)
        page = claimed(await self._ask(*command, "COUNT", limit, patience=0.0))
        if page.vanished:
            log.warning("%d events were dropped after a router had taken them and before it was done", page.vanished)
        events = await self._legible(shard, page.entries)
        return Page(cursor=page.cursor, events=events, vanished=page.vanished)

    async def _legible(self, shard: int, entries: Sequence[Any]) -> list[Fed]:
        """Entries as events; what strangers wrote is acknowledged and passed over, or it would come for ever."""
        events, strange = fed_of(shard, entries)
        if strange:
            log.error("%d entries of %s are no events and are passed over", len(strange), self._names.shard(shard))
            await self._commands.do("XACK", self._names.shard(shard), self._group, *strange)
        return events

    async def _ask(self, *command: Any, patience: float) -> Any:
        try:
            return await self._tap.ask(*command, patience=patience)
        except ResponseError as error:
            # It may be a server that is no longer the right one, or one that has lost everything.
            self._joined = False
            await self._tap.close()
            raise in_our_words(error, self._address) from error

    def _settling(
        self, shard: int, events: Sequence[Fed], ends: dict[tuple[int, str], Fed]
    ) -> tuple[tuple[str, ...], Sequence[Any]]:
        """Keys and arguments for `settle.lua`."""
        plain = [fed.place for fed in events if (fed.shard, fed.place) not in ends]
        dead = [note_of_failure(ends[fed.shard, fed.place]) for fed in events if (fed.shard, fed.place) in ends]
        terms = (self._group, round(FED_FOR * 1000), round(DEAD_FOR * 1000), MOST_DEAD)
        keys = (self._names.shard(shard), self._names.dead)
        return keys, [*terms, len(plain), *plain, *(part for note in dead for part in note)]
