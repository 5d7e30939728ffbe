"""What operators ask of lanes on Redis."""

import heapq
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, cast

import msgspec

from goatherd.adapters.redis.commands import Commands
from goatherd.adapters.redis.lane_jobs import MICRO, jobs_in, microseconds
from goatherd.adapters.redis.lane_letters import decode_burial, encode_burial
from goatherd.adapters.redis.lane_names import LaneNames
from goatherd.adapters.redis.scripts import LANE_LOOK, LANE_ORDER, LANE_WAITING
from goatherd.model.dead_letter import Burial
from goatherd.model.ids import new_id
from goatherd.model.lane import LaneCondition, LaneJob, LaneState
from goatherd.model.lane_wait import MOST_OVERDUE, MOST_READY, LaneWait, Overdue, ReadyLanes, lane_waits

#: Lanes that are looked through at a time, so that the server serves others in between.
PAGE = 1000
#: Milliseconds for which the answer to an order is remembered.
REMEMBER_ORDER = 600_000


class KeptLane(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of a lane; see `unpacked` in `lua/lane_store.lua`."""

    head: int
    tail: int
    seq: int
    condition: LaneCondition
    since: int
    queue: str
    varied: bool
    turn: int
    token: int
    head_seq: int
    deaths: int
    worker: str
    burial: str


_decode = msgspec.msgpack.Decoder(KeptLane).decode
#: The values stand one after the other; with this before them, they are one list.
_LIST = bytes([0x90 | len(KeptLane.__struct_fields__)])


class RedisLaneOperations:
    """Satisfies `LaneOperations`."""

    def __init__(self, commands: Commands, names: LaneNames, now: Callable[[], float] | None) -> None:
        self._commands = commands
        self._names = names
        self._keys = names.all
        self._now = now

    def _terms(self) -> tuple[int, str]:
        """What every script is told: the time, if it is not the server's own, and whom to wake."""
        return 0 if self._now is None else microseconds(self._now()), self._names.channel

    async def find(
        self, *, condition: LaneCondition | None = None, containing: str = "", limit: int = 100
    ) -> Sequence[LaneState]:
        pages = self._held() if condition == "held" else self._all(containing)
        best: list[tuple[bool, int, str]] = []
        async for page in pages:
            wanted = (each for each in page if containing in each[2] and _is(each[0], condition))
            best = heapq.nsmallest(limit, [*best, *((rank[0] != "held", rank[1], rank[2]) for rank in wanted)])
            if condition == "held" and len(best) == limit:
                # They come in their order.
                break
        # One that changed while they were looked through may have been met twice; all are shown as they are now.
        found = await self._look(list(dict.fromkeys(key for _, _, key in best)))
        return [state for state in found if _is(state.condition, condition)]

    async def get(self, key: str) -> LaneState | None:
        found = await self._look([key])
        return found[0] if found else None

    async def jobs(self, key: str, limit: int) -> Sequence[LaneJob]:
        if limit <= 0:
            return []
        return list(jobs_in(await self._commands.run(LANE_LOOK, self._keys, *self._terms(), limit, key)))

    async def waiting(self, queues: Sequence[str], most: int = MOST_READY) -> Sequence[LaneWait]:
        told = await self._commands.run(LANE_WAITING, self._keys, *self._terms(), MOST_OVERDUE, *queues)
        now, ends = told[0] / MICRO, 1 + 2 * len(queues)
        ready = {
            queue: ReadyLanes(count, int(since) / MICRO if since else None)
            for queue, count, since in zip(queues, told[1:ends:2], told[2:ends:2], strict=True)
        }
        overdue = [
            Overdue(queue.decode(), lane.decode(), float(due) / MICRO)
            for queue, lane, due in zip(told[ends::3], told[ends + 1 :: 3], told[ends + 2 :: 3], strict=True)
        ]
        return lane_waits(ready, overdue, now, most)

    async def retry(self, key: str, content: bytes | None = None, *, seq: int | None = None) -> bool:
        return await self._order("retry", key, content or b"", int(content is not None), "" if seq is None else seq)

    async def skip(self, key: str, burial: Burial, *, seq: int | None = None) -> bool:
        return await self._order("skip", key, encode_burial(burial), "", "" if seq is None else seq)

    async def unblock(self, key: str) -> bool:
        return await self._order("unblock", key)

    async def _order(self, order: str, key: str, *more: Any) -> bool:
        keys = (*self._keys, self._names.order(new_id()))
        answer = await self._commands.run(LANE_ORDER, keys, *self._terms(), REMEMBER_ORDER, order, key, *more)
        return cast(int, answer) == 1

    async def _look(self, keys: Sequence[str]) -> list[LaneState]:
        found: list[LaneState] = []
        for start in range(0, len(keys), PAGE):
            told = await self._commands.run(LANE_LOOK, self._keys, *self._terms(), 0, *keys[start : start + PAGE])
            found += _states_in(told)
        return found

    async def _held(self) -> AsyncIterator[list[tuple[str, int, str]]]:
        start = 0
        while True:
            page = await self._commands.do("ZRANGE", self._keys[4], start, start + PAGE - 1, "WITHSCORES")
            if not page:
                return
            yield [("held", int(float(since)), key.decode()) for key, since in zip(page[::2], page[1::2], strict=True)]
            start += PAGE

    async def _all(self, containing: str) -> AsyncIterator[list[tuple[str, int, str]]]:
        cursor, pattern = b"0", f"*{_literally(containing)}*" if containing else "*"
        while True:
            cursor, page = await self._commands.do("HSCAN", self._keys[0], cursor, "MATCH", pattern, "COUNT", PAGE)
            lanes = [(key.decode(), _decode(_LIST + kept)) for key, kept in zip(page[::2], page[1::2], strict=True)]
            yield [(lane.condition, lane.since, key) for key, lane in lanes]
            if cursor == b"0":
                return


def _is(condition: str, wanted: LaneCondition | None) -> bool:
    return wanted is None or condition == wanted


def _literally(text: str) -> str:
    """A text in which nothing stands for something else."""
    return "".join(f"\\{character}" if character in "*?[]^\\" else character for character in text)


def _states_in(told: Sequence[bytes]) -> Iterator[LaneState]:
    for place in range(0, len(told), 4):
        key, kept, until, head = told[place : place + 4]
        lane = _decode(_LIST + kept)
        [job] = jobs_in([head])
        yield LaneState(
            key=key.decode(),
            condition=lane.condition,
            length=lane.tail - lane.head + 1,
            queue=lane.queue,
            head=job.id,
            since=lane.since / MICRO,
            until=float(until) / MICRO if until else None,
            worker=lane.worker or None,
            deaths=lane.deaths,
            burial=decode_burial(lane.burial) if lane.burial else None,
        )
