"""The suite of the lanes on Redis, and what only its adapter promises."""

import asyncio
import re
from typing import Any

import pytest
import redis.asyncio

from goatherd.adapters.redis import lanes as adapter
from goatherd.errors import Unavailable
from goatherd.model.lane import GiveUpHead
from goatherd.testing.suites import LanesSuite
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, burial, ids, item
from goatherd.testing.suites.lane_store import LaneStore, StandingClock
from tests.conformance.lane_tour import tour
from tests.conformance.redis_lane_store import RedisLaneStore, keys_of
from tests.conformance.redis_store import operator

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("redis")]


class TestRedisLanes(RedisLaneStore, LanesSuite):
    async def test_all_keys_are_of_one_slot_and_declared(
        self, store: str, lanes: LaneStore, clock: StandingClock
    ) -> None:
        async with operator() as client, client.monitor() as monitor:
            watching = asyncio.create_task(_undeclared(monitor, store))
            await tour(lanes, clock)
            async with operator() as another:
                await another.get(_end(store))
            used, undeclared = await watching
        assert undeclared == set()
        assert len(used) > 10
        assert {re.sub("}.*", "}", key) for key in used} == {f"{{{store}}}"}

    async def test_what_is_left_of_a_busy_day_is_a_few_keys_that_expire(
        self, store: str, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await tour(lanes, clock)
        kinds = {re.sub(":.*", "", key) for key in await keys_of(self.url(), store)}
        assert kinds <= {"mark", "sender", "worker", "order", "id"}

    async def test_memory_follows_what_waits(self, store: str, lanes: LaneStore) -> None:
        await self.fill_and_drain(store, lanes, 20_000)

    @pytest.mark.chaos
    @pytest.mark.timeout(300)
    async def test_memory_follows_what_waits_also_for_very_many_lanes(self, store: str, lanes: LaneStore) -> None:
        await self.fill_and_drain(store, lanes, 300_000)

    async def fill_and_drain(self, store: str, lanes: LaneStore, count: int) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        for start in range(0, count, 1000):
            await sender.put_each([f"mail/to={number}" for number in range(start, start + 1000)])
        async with operator(self.url()) as client:
            assert await client.hlen(f"{{{store}}}:lanes:1:lanes") == count
        done, claims = 0, await worker.claim(200)
        while claims:
            done += len(claims)
            claims = list((await worker.commit(*claims, wanted=200)).claims)
        assert done == count
        assert await self.kept(store) == []
        # Two parts of the last call, the worker's last exchange, and the mark.
        assert len(await keys_of(self.url(), store)) == 4

    async def test_a_large_call_goes_in_parts_and_is_repeated_exactly(
        self, lanes: LaneStore, other: LaneStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(adapter, "MOST_AT_ONCE", 10)
        sender = Sender(lanes)
        items = [item(str(number), f"mail/to={number % 3}", limit=20) for number in range(75)]
        first = await sender.send(*items)
        assert [placement.answer for placement in first] == ["placed"] * 60 + ["full"] * 15
        await Worker(lanes).drain()
        assert await other.enqueue(sender.name, sender.number, items) == first
        assert await Worker(lanes).claim(10) == []

    async def test_a_lane_that_was_full_stays_so_for_the_rest_of_a_large_call(
        self, lanes: LaneStore, other: LaneStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(adapter, "LARGEST_AT_ONCE", 100)
        put_part = lanes._enqueue  # type: ignore[attr-defined]

        async def put_part_and_drain(*arguments: Any) -> Any:
            answer = await put_part(*arguments)
            await Worker(other).drain()
            return answer

        monkeypatch.setattr(lanes, "_enqueue", put_part_and_drain)
        some = [item("a", content=bytes(60)), item("b", limit=1, content=bytes(30))]
        placed = await Sender(lanes).send(*some, item("c", content=bytes(60)), item("d", delay=1.0))
        assert [placement.answer for placement in placed] == ["placed", "full", "full", "full"]

    async def test_a_part_of_a_call_that_was_given_up_changes_nothing(
        self, store: str, lanes: LaneStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(adapter, "MOST_AT_ONCE", 1)
        await lanes.enqueue("me", 2, [item("new")])
        with pytest.raises(Unavailable, match="call 1 of me"):
            await lanes._enqueue("me", 1, 1, [item("late")], set())  # type: ignore[attr-defined]
        assert [job.id for job in await lanes.jobs(LANE, 10)] == ["new"]

    async def test_a_long_lane_is_cancelled_in_no_time_and_its_letters_are_taken_bit_by_bit(
        self, store: str, lanes: LaneStore
    ) -> None:
        await Sender(lanes).put(*(str(number) for number in range(2000)))
        worker = Worker(lanes)
        head = await worker.one()
        await worker.exchange(GiveUpHead(hold=head.hold, burial=burial("gone"), policy="cancel_rest"))
        async with operator(self.url()) as client:
            assert await client.zcard(f"{{{store}}}:lanes:1:letters") == 2
        # Another life of the same lane does not get into the way of its letters.
        await Sender(lanes).put("next")
        assert ids(await worker.drain()) == ["next"]
        taken: list[bytes] = []
        while letters := await lanes.letters(300):
            # Not in their order, and the first ones at the end.
            for part in (letters[100:200], letters[200:], letters[:100]):
                await lanes.remove_letters([letter.id for letter in part])
            taken += [letter.content for letter in letters]
        assert taken == [str(number).encode() for number in range(2000)]
        assert await self.kept(store) == []


async def _undeclared(monitor: "redis.asyncio.client.Monitor", app: str) -> tuple[set[str], set[str]]:
    """Keys that an app's scripts used until the end, and those of them that they had not declared."""
    declared: set[str] = set()
    used: set[str] = set()
    undeclared: set[str] = set()
    async for told in monitor.listen():
        command, *arguments = told["command"].split(" ")
        if command == "EVALSHA":
            declared = set(arguments[2 : 2 + int(arguments[1])])
        elif told["client_type"] == "lua" and command not in ("TIME", "PUBLISH"):
            # Others use the same server.
            if any(app in key for key in declared):
                used.add(arguments[0])
                undeclared |= {arguments[0]} - declared
        elif arguments[:1] == [_end(app)]:
            break
    return used, undeclared


def _end(app: str) -> str:
    return f"{{{app}}}:end"
