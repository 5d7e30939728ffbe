"""What a scheduler tells of lanes, tallies and schedules that are on servers, and what it does when one is away."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from goatherd import Goatherd, Retry
from goatherd.engine import sampler
from goatherd.testing.suites.receiver import eventually
from scripts.servers.addresses import postgres_url, redis_url
from scripts.servers.redis import Redis, ensure_redis
from tests.unit.metrics.scraped import looked

pytestmark = [pytest.mark.servers("redis", "postgres"), pytest.mark.xdist_group("postgres")]


def busy(folder: Path, lanes: str) -> Goatherd:
    """An app with something to see in every store."""
    app = Goatherd(
        f"shop_{uuid4().hex}", broker_url=f"sqlite:///{folder}/jobs.db", lanes_url=lanes, records_url=postgres_url(),
        metrics_every=3600, retry=Retry(0),
    )  # fmt: skip
    app.tally("gifts")

    @app.task(name="comment", queue="comments", key="post")
    async def comment(post: int) -> None:
        raise ValueError

    @app.cron("0 0 2 29 2 *", name="sweep")
    async def sweep() -> None: ...

    return app


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[Redis]:
    ensure_redis()
    with Redis(tmp_path / "redis") as server:
        yield server
        server.thaw()


@pytest.mark.parametrize("store", ["redis", "postgres"])
async def test_all_stores_are_told_of(tmp_path: Path, store: str) -> None:
    app = busy(tmp_path, redis_url() if store == "redis" else postgres_url())
    async with app.serve("scheduler", "worker"):
        before = await looked(app)
        assert before["goatherd_lanes_ready", "comments"] == before["goatherd_lanes_held", "comments"] == 0
        assert ("goatherd_schedule_last_run_timestamp_seconds", "sweep") not in before
        for post in (7, 7, 8):
            await app.tasks["comment"].send(post)
        await app.tallies["gifts"].add("ada", 5)
        await app.tallies["gifts"].add("bob", 2)
        await app.schedules.trigger("sweep")

        async def seen() -> dict[tuple[str, ...], float] | None:
            told = await looked(app)
            ended = ("goatherd_schedule_last_success_timestamp_seconds", "sweep") in told
            return told if ended and told["goatherd_lanes_held", "comments"] == 2 else None

        told = await eventually(seen, "two held lanes and a run that ended")
    assert told["goatherd_lanes_held_jobs", "comments"] == 3
    assert 0 <= told["goatherd_lanes_held_oldest_seconds", "comments"] < 600
    assert (told["goatherd_tally_keys", "gifts"], told["goatherd_tally_waiting", "gifts"]) == (2, 7)
    fired, ended = (
        told[f"goatherd_schedule_last_{what}_timestamp_seconds", "sweep"] for what in ("run", "success")
    )  # fmt: skip
    assert 1.7e9 < fired <= ended < told["goatherd_schedule_next_run_timestamp_seconds", "sweep"]
    assert told["goatherd_schedule_last_run_failed", "sweep"] == 0
    assert {name[1]: value for name, value in told.items() if name[0] == "goatherd_seen"} == dict.fromkeys(
        ("queues", "dead letters", "schedules", "lanes", "tallies"), 1
    )


async def test_a_server_that_is_frozen_hides_what_it_has_until_it_goes_on(
    tmp_path: Path, own_redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampler, "DEADLINE", 1.0)
    app = busy(tmp_path, own_redis.url)
    async with app.serve("scheduler"):
        await app.tallies["gifts"].add("ada", 5)
        assert (await looked(app))["goatherd_tally_waiting", "gifts"] == 5
        own_redis.freeze()
        told = await looked(app)
        assert {name[1] for name, value in told.items() if name[0] == "goatherd_seen" and not value} == {
            "lanes",
            "tallies",
        }
        assert not [name for name in told if name[0].startswith(("goatherd_tally", "goatherd_lanes"))]
        own_redis.thaw()

        async def back() -> bool | None:
            return (await looked(app)).get(("goatherd_tally_waiting", "gifts")) == 5 or None

        await eventually(back, "what waits in the tally")
