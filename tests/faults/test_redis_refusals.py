"""A Redis that cannot be used says why, and shows no password."""

import time
from pathlib import Path

import pytest

from goatherd.errors import SettingsError, Unavailable
from goatherd.model.ids import new_id
from goatherd.testing.suites.event_store import Author, all_entries, whole
from scripts.servers.redis import Redis, ensure_redis
from tests.faults.event_people import client

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis")]


async def test_a_redis_that_is_away_says_so_without_the_password(tmp_path: Path) -> None:
    ensure_redis()
    with Redis(tmp_path / "redis") as server:
        port = server.port
    begun = time.monotonic()
    with pytest.raises(Unavailable, match=f"redis://127.0.0.1:{port}/0 cannot be reached") as caught:
        async with client(f"redis://user:s3cr3t@127.0.0.1:{port}/0"):
            pass
    assert time.monotonic() - begun < 10
    assert "s3cr3t" not in str(caught.value)


async def test_a_wrong_password_is_a_wrong_setting(tmp_path: Path) -> None:
    ensure_redis()
    with Redis(tmp_path / "redis", "--requirepass", "right") as server:
        for credentials in ("", ":wr0ng@", "user:wr0ng@"):
            with pytest.raises(SettingsError, match="user or the password") as caught:
                async with client(f"redis://{credentials}127.0.0.1:{server.port}/0"):
                    pass
            assert "wr0ng" not in str(caught.value)
        async with client(f"redis://:right@127.0.0.1:{server.port}/3") as events:
            assert (await Author(events, new_id()).start()).answer == "ok"
        with pytest.raises(SettingsError, match="no database 99"):
            async with client(f"redis://:right@127.0.0.1:{server.port}/99"):
                pass


async def test_a_full_redis_says_so_and_writes_nothing(tmp_path: Path) -> None:
    ensure_redis()
    with Redis(tmp_path / "redis", "--maxmemory", "1500kb", "--maxmemory-policy", "noeviction") as server:
        async with client(server.url) as events:
            author = Author(events, job := new_id())
            await author.start()
            with pytest.raises(Unavailable, match="no memory left"):
                await fill(author)
            reading = await whole(events, job)
            assert reading.text == "x" * 20_000 * (reading.top.seq - 1)
            assert len(await all_entries(events, job)) == reading.top.seq


async def fill(author: Author) -> None:
    for _ in range(100):
        await author.say("x" * 20_000)
