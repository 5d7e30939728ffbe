"""What stores are asked for the sake of health is answered by every one of them."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from goatherd import Goatherd
from scripts.servers.addresses import postgres_url, redis_url

SERVERS = pytest.mark.servers("redis", "postgres")
LANES = ["sqlite", pytest.param("redis", marks=SERVERS), pytest.param("postgres", marks=SERVERS)]


@pytest.fixture(params=LANES)
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Goatherd:
    """With its lanes there, and the rest on servers too, unless it is all in a file."""
    app = Goatherd(f"health-{uuid4().hex}", broker_url=f"sqlite:///{tmp_path / 'jobs.db'}", **urls(request.param))
    likes = app.tally("likes")

    @app.task(key="number")
    async def in_order(number: int) -> None: ...

    @likes.flush(every=60)
    async def count_likes(key: str, total: int) -> None: ...

    @app.cron("0 0 4 * * *")
    async def clean_up() -> None: ...

    return app


def urls(lanes: str) -> dict[str, Any]:
    if lanes == "sqlite":
        return {}
    url = redis_url() if lanes == "redis" else postgres_url()
    return {"lanes_url": url, "events_url": redis_url(), "records_url": postgres_url()}


async def test_all_of_them_answer(app: Goatherd) -> None:
    async with app.serve("worker", "scheduler", "router"):
        await app.session().recurring.tallies()
        health = await app.health()
    assert (health.ready, health.reasons) == (True, [])
    assert health.ports == dict.fromkeys(["broker", "lanes", "events", "records"], "up")
