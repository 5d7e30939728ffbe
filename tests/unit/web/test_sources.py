"""The history is opened when somebody first asks for it, once; and again if that failed."""

import asyncio
from collections.abc import Iterator

import pytest

from goatherd import Goatherd, Unavailable
from goatherd.web import sources as module
from goatherd.web.sources import Sources


class Library:
    """Histories that are opened when the story lets them."""

    def __init__(self) -> None:
        self.opened = self.closed = 0
        self.fails = False
        self.may_open = asyncio.Event()
        self.may_open.set()

    async def open(self, *_: object) -> "Library":
        self.opened += 1
        await self.may_open.wait()
        if self.fails:
            raise Unavailable("It is away.")
        return self

    async def find(self, _job: str) -> None:
        return None

    async def close(self) -> None:
        self.closed += 1


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    library = Library()
    monkeypatch.setattr(module, "open_history", library.open)
    yield library
    assert library.closed == (0 if library.fails else 1)


@pytest.fixture
def app() -> Goatherd:
    return Goatherd("shop", broker_url="amqp://somewhere")


async def test_it_is_kept_open_until_the_end(library: Library, app: Goatherd) -> None:
    sources = Sources()
    for _ in range(3):
        assert await sources.record(app, "job") is None
    assert (library.opened, library.closed) == (1, 0)
    await sources.close()
    await sources.close()


async def test_who_asks_meanwhile_waits_for_the_same_and_who_leaves_leaves_alone(
    library: Library, app: Goatherd
) -> None:
    sources = Sources()
    library.may_open.clear()
    first, second = (asyncio.create_task(sources.record(app, "job")) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    library.may_open.set()
    assert await second is None
    assert library.opened == 1
    await sources.close()


async def test_all_are_told_that_it_is_away_and_the_next_one_tries_again(library: Library, app: Goatherd) -> None:
    sources = Sources()
    library.fails = True
    told = await asyncio.gather(*(sources.record(app, "job") for _ in range(5)), return_exceptions=True)
    assert {type(each) for each in told} == {Unavailable}
    assert library.opened == 1
    library.fails = False
    assert await sources.record(app, "job") is None
    await sources.close()


async def test_one_that_is_being_opened_is_let_go_of(library: Library, app: Goatherd) -> None:
    sources = Sources()
    await sources.record(app, "job")
    library.may_open.clear()
    other = asyncio.create_task(sources.record(Goatherd("other", broker_url="amqp://somewhere"), "job"))
    await asyncio.sleep(0)
    await sources.close()
    with pytest.raises(asyncio.CancelledError):
        await other


async def test_a_file_beside_a_broker_is_warned_of(
    library: Library, app: Goatherd, caplog: pytest.LogCaptureFixture
) -> None:
    sources = Sources()
    await sources.record(app, "job")
    await sources.record(app, "job")
    [warning] = caplog.messages
    assert "GOATHERD_RECORDS_URL" in warning
    await sources.close()
