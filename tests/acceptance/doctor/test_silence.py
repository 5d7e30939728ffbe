"""The doctor before servers that do not say a word: each is named, what is not theirs is told, and it ends."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from goatherd.adapters.redis import connection
from goatherd.cli import server_checks
from goatherd.cli.check import Check
from goatherd.cli.checks import examine
from tests.acceptance.doctor.patient import patient

#: Seconds in which all must be said, also on a slow machine; no server has more than one of them.
IN_TIME = 60.0


@pytest.fixture
def silent() -> Iterator[list[str]]:
    """Where somebody takes connections and then nothing comes, as from a frozen process."""
    with ExitStack() as life:
        lines = [life.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(4)]
        yield [f"127.0.0.1:{line.getsockname()[1]}" for line in lines]


async def test_every_server_is_silent(silent: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "ANSWER_DEADLINE", 0.5)
    monkeypatch.setattr(server_checks, "DEADLINE", 1.0)
    amqp, http, redis, postgres = silent
    hurry = "connection_timeout=0.5"
    app = patient(
        tmp_path,
        broker_url=f"amqp://{amqp}/?{hurry}",
        management_url=f"http://{http}",
        events_url=f"redis://{redis}/0?{hurry}",
        records_url=f"postgresql://{postgres}/shop?{hurry}",
    )
    async with asyncio.timeout(IN_TIME):
        told = [check async for check in examine(app, "clinic:app")]
    assert {state_of(told, place) for place in (amqp, redis, postgres)} == {"wrong"}
    assert state_of(told, http) == "warning", "jobs go on without it"
    assert [check.name for check in told if check.state == "well"] == ["program", "settings", "tasks"]
    assert "secret" in {check.name for check in told}


async def test_a_server_that_is_away_hides_nothing_of_the_rest(tmp_path: Path) -> None:
    app = patient(tmp_path, events_url="redis://127.0.0.1:1/0", secret="x" * 32)

    @app.every(3600)
    async def sweep() -> None: ...

    told = [check async for check in examine(app, "clinic:app")]
    [ill] = [check for check in told if check.state == "wrong"]
    assert (ill.name, "GOATHERD_EVENTS_URL" in ill.found) == ("store", True), "once, although two miss it"
    assert {check.name for check in told} >= {"store", "disk", "workers", "queues", "schedules", "pipelines"}


def state_of(told: list[Check], place: str) -> str:
    """Of the one finding that is about a server."""
    [state] = [check.state for check in told if place in check.found and check.name != "settings"]
    return state
