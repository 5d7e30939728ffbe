"""The official client of Firebase and our inbox at the same double of a database.

So the double is checked by Google's own client. Neither was run against Google's servers here.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from examples.arcade.firebase_double import FirebaseDouble
from goatherd import Context, Goatherd
from goatherd.model.command import job_id_of
from tests.interop.stage import Told

ROOT = Path(__file__).parents[2]
PATH = "commands/prod"
#: Seconds that the client may take: it imports much.
PATIENCE = 40.0


class Client:
    """The program, in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout
        self._heard: list[Any] = []
        self._done: list[Any] = []

    async def do(self, *said: Any) -> Any:
        """What the client gives."""
        self._stdin.write(json.dumps(said).encode() + b"\n")
        while not self._done:
            await self._read()
        return self._done.pop(0)

    async def hear(self) -> Any:
        """The next event that it was told of: its kind, path and data."""
        while not self._heard:
            await self._read()
        return self._heard.pop(0)

    async def _read(self) -> None:
        async with asyncio.timeout(PATIENCE):
            line = await self._stdout.readline()
        assert line, "the client has ended"
        kind, told = json.loads(line)
        (self._heard if kind == "heard" else self._done).append(told)


@asynccontextmanager
async def official_client(double: FirebaseDouble) -> AsyncIterator[Client]:
    environment = {**os.environ, "FIREBASE_DATABASE_EMULATOR_HOST": double.url.removeprefix("http://")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.interop.firebase_program", PATH),
        cwd=ROOT,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield Client(process)
    finally:
        process.kill()
        await process.wait()


@pytest.fixture
async def double() -> AsyncIterator[FirebaseDouble]:
    async with FirebaseDouble() as served:
        yield served


async def test_the_official_client_understands_the_double(double: FirebaseDouble) -> None:
    double.put(PATH, {"early": {"n": 1}})
    async with official_client(double) as client:
        assert await client.hear() == ["put", "/", {"early": {"n": 1}}]
        key = await client.do("push", {"type": "go", "text": "ü 🐐"})
        assert await client.hear() == ["put", f"/{key}", {"type": "go", "text": "ü 🐐"}]
        assert double.get(PATH) == {"early": {"n": 1}, key: {"type": "go", "text": "ü 🐐"}}
        await client.do("delete", key)
        assert await client.hear() == ["put", f"/{key}", None]
        await client.do("update", {"early/n": 2, "late": {"n": 3}})
        assert await client.hear() == ["patch", "/", {"early/n": 2, "late": {"n": 3}}]
        assert await client.do("get") == {"early": {"n": 2}, "late": {"n": 3}}
        assert await client.do("first", 1) == {"early": {"n": 2}}
        assert await client.do("shallow") == {"early": True, "late": True}
        await client.do("set", "late", {"n": [7, 8]})
        assert (await client.hear())[:2] == ["put", "/late"]
        assert await client.do("get") == {"early": {"n": 2}, "late": {"n": [7, 8]}}


async def test_what_the_official_client_pushes_is_done_and_it_sees_it_removed(
    double: FirebaseDouble, tmp_path: Path
) -> None:
    app = Goatherd("arcade", broker_url=f"sqlite:///{tmp_path}/jobs.db")
    inbox = app.inbox(f"firebase+{double.url}/{PATH}?ns=games", route="type")
    told = Told()

    @inbox.on("start_machine")
    async def start_machine(ctx: Context, user_id: str, data: dict[str, int]) -> None:
        told((ctx.job_id, user_id, data))

    async with official_client(double) as client:
        assert await client.hear() == ["put", "/", None]
        async with app.serve("worker", "scheduler"):
            key = await client.do("push", {"type": "start_machine", "user_id": "ann", "data": {"machine": 7}})
            assert await told.next() == (job_id_of(inbox.name, key), "ann", {"machine": 7})
        assert (await client.hear())[1] == f"/{key}"
        assert await client.hear() == ["put", f"/{key}", None]
        assert await client.do("get") is None
