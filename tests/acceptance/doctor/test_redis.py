"""The doctor looks at Redis: whether it keeps what it is given."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis as Client

from goatherd.adapters.redis import connection
from goatherd.cli.server_checks import server_checks
from scripts.servers.redis import Redis, ensure_redis
from tests.acceptance.doctor.patient import LateClock, found, patient, the_one

pytestmark = pytest.mark.servers("redis")


@pytest.fixture
def redis(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Redis]:
    ensure_redis()
    with Redis(tmp_path / "redis", *getattr(request, "param", ())) as server:
        yield server


async def test_one_that_is_well(redis: Redis, tmp_path: Path) -> None:
    check = await the_one(patient(tmp_path, events_url=redis.url, lanes_url=redis.url), "redis")
    assert check.state == "well"
    assert check.found.endswith("for lanes, events, keeps what it is given")


@pytest.mark.parametrize("redis", [("--appendonly", "no")], indirect=True)
async def test_no_append_only_file(redis: Redis, tmp_path: Path) -> None:
    check = await the_one(patient(tmp_path, events_url=redis.url), "redis")
    assert check.state == "warning"
    assert "no append-only file" in check.found
    assert "CONFIG SET appendonly yes" in check.mend
    lanes = await the_one(patient(tmp_path, lanes_url=redis.url), "redis")
    assert lanes.state == "wrong"
    assert "jobs that wait in lanes" in lanes.found
    [knowingly] = await found(patient(tmp_path, lanes_url=redis.url, volatile_lanes=True), "redis")
    assert knowingly.state == "warning"


@pytest.mark.parametrize("redis", [("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")], indirect=True)
async def test_keys_that_are_thrown_away(redis: Redis, tmp_path: Path) -> None:
    check = await the_one(patient(tmp_path, events_url=redis.url), "redis")
    assert check.state == "warning"
    assert "allkeys-lru" in check.found
    assert "CONFIG SET maxmemory-policy noeviction" in check.mend
    assert (await the_one(patient(tmp_path, lanes_url=redis.url), "redis")).state == "wrong"


@pytest.mark.parametrize("redis", [("--maxmemory-policy", "allkeys-lru")], indirect=True)
async def test_a_policy_that_is_never_needed_is_well(redis: Redis, tmp_path: Path) -> None:
    assert (await the_one(patient(tmp_path, events_url=redis.url), "redis")).state == "well"


@pytest.mark.parametrize("redis", [("--maxmemory", "1mb")], indirect=True)
async def test_memory_that_is_nearly_used_up(redis: Redis, tmp_path: Path) -> None:
    check = await the_one(patient(tmp_path, events_url=redis.url), "redis")
    assert (check.state, "maxmemory" in check.found) == ("warning", True)


@pytest.mark.parametrize("redis", [("--replicaof", "127.0.0.1", "1")], indirect=True)
async def test_a_replica(redis: Redis, tmp_path: Path) -> None:
    [check, *_] = await found(patient(tmp_path, events_url=redis.url), "redis")
    assert check.state == "wrong"
    assert "is a replica" in check.found


async def test_another_time_there(redis: Redis, tmp_path: Path) -> None:
    app = patient(tmp_path, events_url=redis.url)
    assert await found(app, "clock") == []
    app.clock = LateClock(100)
    check = await the_one(app, "clock")
    assert check.state == "warning"
    assert re.search(r"1m[34]\ds ahead of this machine", check.found)
    assert "NTP" in check.mend


async def test_a_user_who_may_not_ask(redis: Redis, tmp_path: Path) -> None:
    async with Client.from_url(redis.url) as operator:
        await operator.acl_setuser(
            "shy", enabled=True, passwords=["+secret"], keys=["*"], channels=["*"], categories=["+@all"],
            commands=["-info", "-time"],
        )  # fmt: skip
    url = redis.url.replace("://", "://shy:secret@")
    check = await the_one(patient(tmp_path, events_url=url), "redis")
    assert check.state == "warning"
    assert "does not tell whether it keeps events" in check.found
    assert "Let the user run INFO" in check.mend


async def test_one_that_is_frozen(redis: Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "ANSWER_DEADLINE", 0.5)
    redis.freeze()
    try:
        [check] = [check async for check in server_checks(patient(tmp_path, events_url=redis.url))]
    finally:
        redis.thaw()
    assert check.state == "wrong"
    assert "GOATHERD_EVENTS_URL" in check.found
