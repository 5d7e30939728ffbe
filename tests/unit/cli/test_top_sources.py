"""Sources that answer, fail, hang and come back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from goatherd.cli import top_sources
from goatherd.cli.top_sources import Look, Source, running
from goatherd.errors import Unavailable


class Server:
    """Answers with a number that grows, as long as it is well."""

    def __init__(self) -> None:
        self.answered = self.opened = 0
        self.refuses = self.hangs = False

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Look[int]]:
        self.opened += 1
        yield self.look

    async def look(self) -> int:
        if self.refuses:
            raise Unavailable("it refuses")
        if self.hangs:
            await asyncio.Event().wait()
        self.answered += 1
        return self.answered


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(top_sources, "EVERY", 0.01)
    monkeypatch.setattr(top_sources, "PATIENCE", 0.2)


async def until_seen_again(source: Source[int]) -> None:
    async with asyncio.timeout(20):
        looks = source.looks
        while source.looks == looks:
            await asyncio.sleep(0)


@pytest.mark.parametrize(("fault", "why"), [("refuses", "it refuses"), ("hangs", "no answer within 0.2 s")])
async def test_a_server_that_comes_back(fault: str, why: str) -> None:
    server = Server()
    source: Source[int] = Source("server", server.open)
    other: Source[int] = Source("other", Server().open)
    async with running([source, other]):
        await source.tried(2)
        setattr(server, fault, True)
        async with asyncio.timeout(20):
            while source.trouble is None:
                await asyncio.sleep(0)
        assert [source.trouble] == [why]
        assert source.seen == server.answered, "the last that was seen stays"
        await until_seen_again(other)
        setattr(server, fault, False)
        await until_seen_again(source)
        assert [source.trouble] == [None]
        assert server.opened > 1


async def test_a_mistake_of_ours_is_not_hidden() -> None:
    server = Server()

    async def mistaken() -> int:
        looked.set()
        raise KeyError("oops")

    looked = asyncio.Event()
    server.look = mistaken  # type: ignore[method-assign]  # a mistake on purpose
    source: Source[int] = Source("broken", server.open)
    with pytest.raises(RuntimeError, match="goatherd top broken ended"):
        async with running([source]):
            await looked.wait()
