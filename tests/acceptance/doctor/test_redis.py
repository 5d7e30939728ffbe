"""The doctor looks at Redis: whether it keeps what it is given. What is wrong is planted on a real server."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis as Operator

from goatherd.adapters.redis import connection
from goatherd.cli.check import Check
from goatherd.cli.checks import examine
from goatherd.cli.server_checks import server_checks
from scripts.servers.redis import Redis, ensure_redis
from tests.acceptance.doctor.patient import LateClock, found, patient, the_one

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("ailing redis")]

#: How it is when it is well.
WELL = {"appendonly": "yes", "maxmemory": "0", "maxmemory-policy": "noeviction", "requirepass": ""}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    ensure_redis()
    with Redis(tmp_path_factory.mktemp("redis")) as started:
        yield started


@pytest.fixture
def redis(server: Redis) -> Iterator[Operator]:
    """Somebody who may change everything there; it is well again afterwards."""
    with Operator(port=server.port, decode_responses=True) as operator:
        yield operator
        server.thaw()
        for name, value in WELL.items():
            operator.config_set(name, value)
        operator.replicaof("NO", "ONE")
        operator.acl_deluser("shy")


async def of_redis(folder: Path, **settings: Any) -> list[Check]:
    """What is said about the servers alone, without opening the app."""
    return [check async for check in server_checks(patient(folder, **settings))]


async def mended(check: Check, folder: Path, **settings: Any) -> Check:
    """What is said once somebody did what the doctor said."""
    command, _setting_in_a_file = re.findall(r"`([^`]+)`", check.mend)
    program, *words = shlex.split(command)
    done = subprocess.run(
        [shutil.which(program) or program, *words], capture_output=True, text=True, check=True, timeout=20
    )
    assert done.stdout.strip() == "OK"
    return await the_one(patient(folder, **settings), "redis")


@pytest.mark.usefixtures("redis")
async def test_one_that_is_well(server: Redis, tmp_path: Path) -> None:
    check = await the_one(patient(tmp_path, events_url=server.url, lanes_url=server.url), "redis")
    assert check.state == "well"
    assert check.found.endswith("for lanes, events, keeps what it is given")


async def test_no_append_only_file(server: Redis, redis: Operator, tmp_path: Path) -> None:
    redis.config_set("appendonly", "no")
    [lanes] = await of_redis(tmp_path, lanes_url=server.url)
    assert lanes.state == "wrong"
    assert "jobs that wait in lanes" in lanes.found
    [knowingly] = await of_redis(tmp_path, lanes_url=server.url, volatile_lanes=True)
    assert knowingly.state == "warning"
    check = await the_one(patient(tmp_path, events_url=server.url), "redis")
    assert check.state == "warning"
    assert "no append-only file" in check.found
    assert (await mended(check, tmp_path, events_url=server.url)).state == "well"


async def test_keys_that_are_thrown_away(server: Redis, redis: Operator, tmp_path: Path) -> None:
    redis.config_set("maxmemory-policy", "allkeys-lru")
    [never_needed] = await of_redis(tmp_path, events_url=server.url)
    assert never_needed.state == "well"
    redis.config_set("maxmemory", "50mb")
    assert [check.state for check in await of_redis(tmp_path, lanes_url=server.url)] == ["wrong"]
    check = await the_one(patient(tmp_path, events_url=server.url), "redis")
    assert check.state == "warning"
    assert "allkeys-lru" in check.found
    assert (await mended(check, tmp_path, events_url=server.url)).state == "well"


async def test_memory_that_is_nearly_used_up(server: Redis, redis: Operator, tmp_path: Path) -> None:
    redis.config_set("maxmemory", "1mb")
    [check] = await of_redis(tmp_path, events_url=server.url)
    assert (check.state, "maxmemory" in check.found) == ("warning", True)


async def test_a_replica(server: Redis, redis: Operator, tmp_path: Path) -> None:
    redis.replicaof("127.0.0.1", "1")
    [check] = await of_redis(tmp_path, events_url=server.url)
    assert check.state == "wrong"
    assert "is a replica" in check.found


@pytest.mark.usefixtures("redis")
async def test_another_time_there(server: Redis, tmp_path: Path) -> None:
    app = patient(tmp_path, events_url=server.url)
    assert await found(app, "clock") == []
    app.clock = LateClock(100)
    check = await the_one(app, "clock")
    assert check.state == "warning"
    assert re.search(r"1m[34]\ds ahead of this machine", check.found)
    assert "NTP" in check.mend


async def test_a_user_who_may_not_ask(server: Redis, redis: Operator, tmp_path: Path) -> None:
    redis.acl_setuser(
        "shy", enabled=True, passwords=["+secret"], keys=["*"], channels=["*"], categories=["+@all"],
        commands=["-info", "-time", "-config"],
    )  # fmt: skip
    url = server.url.replace("://", "://shy:secret@")
    check = await the_one(patient(tmp_path, events_url=url), "redis")
    assert check.state == "warning"
    assert "does not tell whether it keeps events" in check.found
    assert "secret" not in check.found
    assert "Let the user run INFO" in check.mend


async def test_a_wrong_password(server: Redis, redis: Operator, tmp_path: Path) -> None:
    redis.config_set("requirepass", "right")
    url = server.url.replace("://", "://:mistaken@")
    [check] = [each async for each in examine(patient(tmp_path, events_url=url), "clinic:app") if each.state == "wrong"]
    assert "does not accept the user or the password of GOATHERD_EVENTS_URL" in check.found
    assert "mistaken" not in check.found


async def test_one_that_is_frozen(
    server: Redis, redis: Operator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert redis.ping()
    monkeypatch.setattr(connection, "ANSWER_DEADLINE", 0.5)
    server.freeze()
    [check] = await of_redis(tmp_path, events_url=f"{server.url}?connection_timeout=0.5")
    assert check.state == "wrong"
    assert "GOATHERD_EVENTS_URL" in check.found
