"""The events port on Redis."""

import asyncio
from typing import Any

import msgspec

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.commands import Commands
from goatherd.adapters.redis.messages import entries_in, entries_of, event_arguments, hash_of, state_in
from goatherd.adapters.redis.names import Names
from goatherd.adapters.redis.scripts import APPEND, KEEP, OF_EVENTS, READ
from goatherd.adapters.redis.subscriber import RedisWatch, Subscriber
from goatherd.model.admission import Append, Outcome, new_epoch
from goatherd.model.event import Entry, Position, Token
from goatherd.model.job_state import JobState
from goatherd.model.reading import Kept, Reading
from goatherd.ports.events import PAGE, Wake
from goatherd.ports.feed import FED_FOR, LARGEST_BODY, Limits

#: Events of one job that are kept, and a few more; what is older is told by a snapshot.
KEPT = 10_000


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How long things are kept, and how long the server may take."""

    ttl: float
    deadline: float
    feed: Limits = Limits()


class RedisEvents:
    """Satisfies `Events`; with a `live` server, that one calls watchers, once a router has told it what to say."""

    def __init__(self, address: Address, names: Names, terms: Terms, live: Address | None = None) -> None:
        self._names = names
        self._relayed = live is not None
        # What every append says again.
        self._ttl = round(terms.ttl * 1000)
        self._feed_terms = f"{round(FED_FOR * 1000)} {terms.feed.unrouted} {terms.feed.routed} {LARGEST_BODY}"
        self._commands = Commands(address, terms.deadline, OF_EVENTS)
        self._subscriber = Subscriber(live or address, terms.deadline, entries_in)

    async def open(self) -> None:
        """Connect; raises Unavailable or SettingsError."""
        await self._commands.open()

    async def append(self, job_id: str, append: Append) -> Outcome:
        arguments: tuple[Any, ...] = (
            new_epoch(),
            "" if self._relayed else self._names.channel(job_id),
            self._ttl,
            KEPT,
            append.attempt,
            append.run,
            append.number,
            len(append.events),
            *(argument for event in append.events for argument in event_arguments(event)),
        )
        keys = self._names.of_job(job_id)
        if self._relayed or not all(isinstance(event, Token) for event in append.events):
            keys += self._names.fed_by(job_id)
            arguments += (job_id, self._feed_terms)
        answer, epoch, seq, told = await self._commands.run(APPEND, keys, *arguments, lineage=True)
        said = answer.decode()
        return Outcome(
            answer=said,
            position=Position(epoch.decode(), seq),
            expected=told if said == "gap" else 0,
            attempt=told if said == "fenced" else 0,
        )

    async def state(self, job_id: str) -> JobState | None:
        found = await self._read(job_id, "state")
        return None if found is None else state_in(hash_of(found[0]))

    async def read(self, job_id: str, after: Position | None, limit: int = PAGE) -> Reading | None:
        if after is None:
            return await self._read_text(job_id)
        found = await self._read(job_id, "events", after.seq, limit)
        if found is None:
            return None
        fields = hash_of(found[0])
        state = state_in(fields)
        kept = Kept(
            epoch=state.epoch,
            first=found[1],
            top=state.seq,
            former_epoch=fields.get("former_epoch", b"").decode(),
            former_top=int(fields.get("former_seq", 0)),
        )
        if not kept.follows(after):
            return await self._read_text(job_id)
        return Reading(state=state, resumed=True, entries=entries_of(state.epoch, found[2]))

    async def watch(self, job_id: str, wake: Wake) -> RedisWatch[Entry]:
        return await self._subscriber.add(self._names.channel(job_id), wake)

    async def keep(self, job_id: str, seconds: float) -> None:
        await self._commands.run(KEEP, self._names.of_job(job_id), round(seconds * 1000))

    async def forget(self, job_id: str) -> None:
        await self._commands.do("UNLINK", *self._names.of_job(job_id))

    async def close(self) -> None:
        await asyncio.gather(self._subscriber.close(), self._commands.close())

    async def vanish(self) -> None:
        """Be gone as after `kill -9`; a connection is all there is to lose."""
        await self.close()

    async def _read(self, job_id: str, wanted: str, after: int = 0, limit: int = 0) -> Any:
        return await self._commands.run(READ, self._names.of_job(job_id), wanted, after, limit)

    async def _read_text(self, job_id: str) -> Reading | None:
        found = await self._read(job_id, "text")
        if found is None:
            return None
        return Reading(state=state_in(hash_of(found[0])), resumed=False, text=found[1].decode())
