"""The lanes port on Redis."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.commands import Commands
from goatherd.adapters.redis.lane_jobs import MICRO, claims_in, microseconds, placement, terms_of, written
from goatherd.adapters.redis.lane_letters import encode_burial, letters_in, number_of
from goatherd.adapters.redis.lane_names import LaneNames
from goatherd.adapters.redis.lane_operations import RedisLaneOperations
from goatherd.adapters.redis.scripts import LANE_BEAT, LANE_ENQUEUE, LANE_EXCHANGE, LANE_LETTERS, OF_LANES
from goatherd.adapters.redis.subscriber import RedisWatch, Subscriber
from goatherd.errors import Unavailable
from goatherd.model.lane import (
    REMEMBERED_FOR,
    Commit,
    Exchange,
    Exchanged,
    Hold,
    LaneItem,
    LaneLetter,
    Placement,
    Release,
    Settlement,
    TryAgain,
)
from goatherd.model.statement import InLane, IntoLane
from goatherd.ports.lanes import WakeUp

#: Jobs, and bytes of them, that are put into lanes in one step: the server does nothing else meanwhile.
MOST_AT_ONCE, LARGEST_AT_ONCE = 500, 4 * 1024 * 1024
#: Lanes that are seen to in one exchange because a time of theirs has come, and jobs that join a lane.
DUE_AT_ONCE = 100
#: Milliseconds of silence after which the last call of a sender or worker is forgotten.
REMEMBER_CALL = 600_000


class RedisLanes(RedisLaneOperations):
    """Satisfies `Lanes` and `LaneOperations`."""

    def __init__(self, address: Address, app: str, deadline: float, now: Callable[[], float] | None = None) -> None:
        self._address = address
        super().__init__(Commands(address, deadline, OF_LANES), LaneNames(app), now)
        self._subscriber = Subscriber(address, deadline, _queue_in)

    async def open(self) -> None:
        """Connect; raises Unavailable or SettingsError."""
        await self._commands.open()

    async def ask(self, *command: str) -> Any:
        """The server's answer to a question about itself."""
        return await self._commands.do(*command)

    async def enqueue(self, sender: str, number: int, items: Sequence[LaneItem]) -> Sequence[Placement]:
        placements: list[Placement] = []
        full: set[str] = set()
        for part, some in enumerate(_in_parts(items)):
            told = await self._enqueue(sender, number, part, some, full)
            placements += told
            full.update(item.lane for item, each in zip(some, told, strict=True) if each.answer == "full")
        return placements

    async def _enqueue(
        self, sender: str, number: int, part: int, items: Sequence[LaneItem], full: set[str]
    ) -> list[Placement]:
        known = [self._names.known(item.id) for item in items if item.named]
        keys = (*self._keys, self._names.sender(sender, part), self._names.sender(sender), *known)
        arguments: list[Any] = [number, REMEMBER_CALL, round(REMEMBERED_FOR * 1000)]
        for item in items:
            arguments += (item.lane, item.queue, terms_of(item, is_full=item.lane in full), written(item))
        told = await self._commands.run(LANE_ENQUEUE, keys, *self._terms(), *arguments)
        if len(told) != len(items):
            raise self._overtaken(sender, number)
        return [placement(answer) for answer in told]

    async def exchange(self, exchange: Exchange) -> Exchanged:
        keys = (*self._keys, self._names.worker(exchange.worker))
        arguments: list[Any] = [
            *self._terms(),
            exchange.number,
            REMEMBER_CALL,
            exchange.worker,
            max(0, exchange.wanted),
            microseconds(exchange.lease),
            DUE_AT_ONCE,
            len(exchange.queues),
            *exchange.queues,
        ]
        for settlement in exchange.settled:
            arguments += _settling(settlement)
        told = await self._commands.run(LANE_EXCHANGE, keys, *arguments)
        if not told:
            raise self._overtaken(exchange.worker, exchange.number)
        return Exchanged(
            settled=[answer == _YES for answer in told[0]],
            claims=claims_in(told, 3),
            next_due=told[2] / MICRO if told[2] >= 0 else None,
            letters=told[1] == 1,
        )

    def _overtaken(self, peer: str, number: int) -> Unavailable:
        return Unavailable(
            f"{self._address} has had call {number} of {peer} with another content, or a later call, so nothing was "
            f"written; the numbers of a sender or worker must grow, and belong to it alone."
        )

    async def beat(self, holds: Sequence[Hold], lease: float) -> Sequence[bool]:
        if not holds:
            return []
        flat = [part for hold in holds for part in (hold.lane, hold.token, hold.seq)]
        told = await self._commands.run(LANE_BEAT, self._keys, *self._terms(), microseconds(lease), *flat)
        return [answer == _YES for answer in told]

    async def watch(self, queues: Sequence[str], wake: WakeUp) -> RedisWatch[str]:
        wanted = frozenset(queues)

        def call(told: Sequence[str]) -> None:
            # With nothing told, something may have been missed.
            if not told or not wanted.isdisjoint(told):
                wake()

        return await self._subscriber.add(self._names.channel, call)

    async def letters(self, limit: int) -> Sequence[LaneLetter]:
        told = await self._commands.run(LANE_LETTERS, self._keys, *self._terms(), max(0, limit))
        return list(letters_in(told))

    async def remove_letters(self, ids: Sequence[str]) -> None:
        numbers = [number for each in ids if (number := number_of(each)) is not None]
        for start in range(0, len(numbers), MOST_AT_ONCE):
            some = numbers[start : start + MOST_AT_ONCE]
            await self._commands.run(LANE_LETTERS, self._keys, *self._terms(), 0, *some)

    def within(self, hold: Hold) -> InLane | None:
        # Redis takes no part in transactions of others.
        return None

    def entry_within(self, items: Sequence[LaneItem]) -> IntoLane | None:
        return None

    def ring(self, queues: Sequence[str]) -> None:
        """Nobody has put a job into a lane without our knowing."""

    async def close(self) -> None:
        await self._subscriber.close()
        await self._commands.close()


_YES = ord("1")


def _in_parts(items: Sequence[LaneItem]) -> Iterator[Sequence[LaneItem]]:
    """The same parts whenever a call is repeated."""
    start, size = 0, 0
    for place, item in enumerate(items):
        if place > start and (place - start == MOST_AT_ONCE or size + len(item.content) > LARGEST_AT_ONCE):
            yield items[start:place]
            start, size = place, 0
        size += len(item.content)
    if start < len(items):
        yield items[start:]


def _settling(settlement: Settlement) -> tuple[Any, ...]:
    hold = settlement.hold
    match settlement:
        case Commit():
            return "commit", hold.lane, hold.token, hold.seq
        case Release():
            return "release", hold.lane, hold.token, hold.seq
        case TryAgain(delay=delay, content=content):
            return "again", hold.lane, hold.token, hold.seq, microseconds(max(0.0, delay)), content
        case _:
            burial = encode_burial(settlement.burial)
            return "give_up", hold.lane, hold.token, hold.seq, settlement.policy or "", burial


def _queue_in(message: bytes) -> Sequence[str]:
    return (message.decode(errors="replace"),)
