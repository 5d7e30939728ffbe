"""Lanes on a Redis of their own: one that is killed loses nothing, and one that would forget jobs is not used."""

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goatherd.adapters.redis.lanes import RedisLanes
from goatherd.adapters.redis.opening import open_lanes
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.lane import TryAgain
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, burial, give_up, ids, item
from goatherd.testing.suites.lane_store import StandingClock, Woken
from scripts.servers.ports import free_ports
from scripts.servers.redis import Redis, ensure_redis
from tests.conformance.lane_tour import tour
from tests.conformance.redis_lane_store import lane_settings
from tests.conformance.redis_store import operator
from tests.faults.watching import until

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis")]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Redis]:
    ensure_redis()
    with Redis(tmp_path / "redis") as server:
        yield server
        server.thaw()


async def opened(url: str, **more: Any) -> RedisLanes:
    return await open_lanes(lane_settings(url, "shop", **more))


class Traffic:
    """A sender and a worker that know no rest, and what they were told."""

    def __init__(self, lanes: RedisLanes, working: RedisLanes) -> None:
        self._sender, self._worker = Sender(lanes), Worker(working)
        self.accepted: dict[str, list[str]] = {f"mail/to={number}": [] for number in range(10)}
        self.done: dict[str, list[str]] = {key: [] for key in self.accepted}
        self.on = True

    @property
    def count(self) -> int:
        return sum(map(len, self.done.values()))

    async def send(self) -> None:
        while self.on:
            items = [item(f"{self._sender.number} {key}", key) for key in self.accepted]
            assert {placed.answer for placed in await self._sender.send(*items)} == {"placed"}
            for each in items:
                self.accepted[each.lane].append(each.id)

    async def work(self) -> None:
        claims = await self._worker.claim(5)
        while self.on or claims or self.done != self.accepted:
            exchanged = await self._worker.commit(*claims, wanted=5)
            assert all(exchanged.settled)
            for claim in claims:
                self.done[claim.lane].append(claim.id)
            claims = list(exchanged.claims)


async def test_what_was_accepted_is_done_once_and_in_order_though_redis_is_killed(server: Redis) -> None:
    lanes, working = await opened(server.url, publish_deadline=30.0), await opened(server.url, publish_deadline=30.0)
    traffic = Traffic(lanes, working)
    tasks = [asyncio.create_task(traffic.send()), asyncio.create_task(traffic.work())]
    try:
        for _ in range(3):
            enough = traffic.count + 500
            await until(lambda enough=enough: traffic.count >= enough or any(map(asyncio.Task.done, tasks)), "jobs")
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
        traffic.on = False
        async with asyncio.timeout(30):
            await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await lanes.close()
        await working.close()
    assert traffic.done == traffic.accepted


async def test_numbers_grow_and_watchers_are_called_after_everything_was_flushed(server: Redis) -> None:
    lanes = await opened(server.url)
    woken = Woken()
    await lanes.watch(["mail"], woken)
    numbers: list[tuple[int, int]] = []
    try:
        for _ in range(3):
            await Sender(lanes).put("a", "b")
            await woken.next()
            for claim in await Worker(lanes).drain():
                numbers.append((claim.token, claim.seq))
            async with operator(server.url) as client:
                await client.flushall()
                await client.script_flush()
    finally:
        await lanes.close()
    assert len(numbers) == 6
    for column in zip(*numbers, strict=True):
        assert list(column) == sorted(set(column))


async def test_a_watcher_is_called_once_its_connection_is_back(server: Redis) -> None:
    lanes = await opened(server.url)
    woken = Woken()
    await lanes.watch(["mail"], woken)
    try:
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        await woken.next()
    finally:
        await lanes.close()


async def test_a_frozen_redis_ends_calls_by_their_deadline(server: Redis) -> None:
    lanes = await opened(server.url, publish_deadline=0.5)
    try:
        sender = Sender(lanes)
        server.freeze()
        with pytest.raises(Unavailable, match="what was done all the same is not done twice"):
            await sender.put("a")
        server.thaw()
        # It was taken after all, or is now; never both.
        async with asyncio.timeout(10):
            while True:
                try:
                    await sender.repeat()
                    break
                except Unavailable:
                    continue
        assert ids(await Worker(lanes).drain()) == ["a"]
    finally:
        await lanes.close()


async def test_a_redis_without_a_file_is_refused_unless_jobs_may_be_lost(tmp_path: Path) -> None:
    ensure_redis()
    with Redis(tmp_path / "redis", "--appendonly", "no") as server:
        with pytest.raises(SettingsError, match=r"no append-only file.*CONFIG SET appendonly yes.*VOLATILE_LANES=1"):
            await opened(server.url)
        await (await opened(server.url, volatile_lanes=True)).close()
        async with operator(server.url) as client:
            await client.config_set("appendonly", "yes")
        await (await opened(server.url)).close()


async def test_a_redis_that_throws_keys_away_is_refused_unless_jobs_may_be_lost(tmp_path: Path) -> None:
    ensure_redis()
    options = ("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru", "--appendonly", "no")
    with Redis(tmp_path / "redis", *options) as server:
        with pytest.raises(SettingsError) as caught:
            await opened(server.url)
        assert len(caught.value.problems) == 2
        assert "(allkeys-lru)" in caught.value.problems[1]
        assert "CONFIG SET maxmemory-policy noeviction" in caught.value.problems[1]
        await (await opened(server.url, volatile_lanes=True)).close()


async def test_a_redis_that_does_not_tell_is_used_with_a_warning(
    server: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    async with operator(server.url) as client:
        await client.execute_command("ACL", "SETUSER", "shy", "on", ">pass", "~*", "&*", "+@all", "-info")
    with caplog.at_level(logging.WARNING, "goatherd.redis"):
        lanes = await opened(f"redis://shy:pass@127.0.0.1:{server.port}/0")
    try:
        assert "does not tell whether it keeps what it was given" in caplog.text
        await Sender(lanes).put("a")
        assert ids(await Worker(lanes).drain()) == ["a"]
    finally:
        await lanes.close()


async def test_a_full_redis_takes_nothing_more_and_its_lanes_go_on(tmp_path: Path) -> None:
    ensure_redis()
    with Redis(tmp_path / "redis", "--maxmemory", "4mb", "--maxmemory-policy", "noeviction") as server:
        lanes = await opened(server.url)
        try:
            sender, worker = Sender(lanes), Worker(lanes)
            with pytest.raises(Unavailable, match=r"no memory left.*let more workers empty the lanes"):
                await fill(sender)
            jobs = [str(number) for number in range(sender.number - 1)]
            assert [job.id for job in await lanes.jobs(LANE, 1000)] == jobs
            # All that keeps lanes moving may have the little memory that it needs.
            head = await worker.one()
            assert list(await lanes.beat([head.hold], 30.0)) == [True]
            await worker.exchange(TryAgain(hold=head.hold, content=b"again", delay=60.0))
            assert await lanes.retry(LANE)
            await worker.exchange(give_up(await worker.one(), "hold"))
            assert await lanes.skip(LANE, burial())
            assert ids(await worker.drain()) == jobs[1:]
        finally:
            await lanes.close()


async def fill(sender: Sender) -> None:
    while True:
        await sender.put(str(sender.number), content=bytes(100_000))


async def test_a_node_of_a_cluster_takes_every_script(tmp_path: Path) -> None:
    ensure_redis()
    # By itself it would take a port that is 10,000 higher, which there may not be.
    [bus] = free_ports(1)
    with Redis(tmp_path / "redis", "--cluster-enabled", "yes", "--cluster-port", str(bus)) as server:
        async with operator(server.url) as client:
            await client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        clock = StandingClock()
        lanes = await open_lanes(lane_settings(server.url, "shop"), clock)
        try:
            await tour(lanes, clock)
        finally:
            await lanes.close()
