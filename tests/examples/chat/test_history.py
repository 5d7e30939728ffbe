"""Questions and answers in a file: noted, brought up to date, kept."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from examples.chat.api.answers import settle_all, settled
from examples.chat.api.history import MOST, History
from examples.chat.herd import chat
from examples.chat.settings import read_settings
from examples.chat.worker import service
from examples.chat.worker.providers.offline import GREETING
from examples.chat.worker.service import process
from examples.chat.worker.staff import Staff
from goatherd.testing import Herd, testing


@pytest.fixture
async def history(tmp_path: Path) -> AsyncIterator[History]:
    opened = History(tmp_path / "new" / "history.db")
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
async def herd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Herd]:
    settings = read_settings({"CHAT_LIBRARY": str(tmp_path / "library.db"), "CHAT_PAUSE": "0"})
    monkeypatch.setattr(service, "staff", Staff(settings))
    async with testing(chat) as opened:
        yield opened


async def ask(history: History) -> None:
    await process.options(id="first").start("first", "mine", "Hello!")
    await history.note("first", "mine", 1.0, "Hello!")


async def test_an_answer_is_written_down_once_it_is_whole(history: History, herd: Herd) -> None:
    await ask(history)
    [waiting] = await history.of_chat("mine")
    assert (await settled(history, waiting)).status == "queued"
    await herd.drain()
    now = await settled(history, waiting)
    assert (now.status, now.answer, now.provider) == ("done", GREETING, "offline")
    assert await history.of_chat("mine") == [now]
    assert await history.unsettled() == []


async def test_answers_are_written_down_before_their_events_are_gone(history: History, herd: Herd) -> None:
    await ask(history)
    await herd.drain()
    await settle_all(history)
    await herd.advance(2 * chat.settings.event_ttl)
    await settle_all(history)
    [kept] = await history.of_chat("mine")
    assert (kept.status, kept.answer) == ("done", GREETING)


async def test_an_answer_that_nobody_wrote_down_in_time_is_lost(history: History, herd: Herd) -> None:
    await history.note("gone", "mine", 1.0, "Do goats climb?")
    await settle_all(history)
    [lost] = await history.of_chat("mine")
    assert (lost.status, lost.is_open) == ("lost", False)


async def test_the_latest_messages_of_a_chat_the_oldest_first(history: History) -> None:
    for number in range(MOST + 5):
        await history.note(f"job-{number}", "mine", float(number), "again")
    await history.note("other", "another", 1.0, "hello")
    await history.note("other", "another", 1.0, "asked twice is noted once")
    assert [one.asked_at for one in await history.of_chat("mine")] == [float(n) for n in range(5, MOST + 5)]
    assert [one.message for one in await history.of_chat("another")] == ["hello"]
    assert await history.has("another", "other")
    assert not await history.has("mine", "other")


async def test_a_file_is_read_by_the_next_process(history: History, tmp_path: Path) -> None:
    await history.note("first", "mine", 1.0, "hello")
    again = History(tmp_path / "new" / "history.db")
    await again.open()
    assert [one.job_id for one in await again.of_chat("mine")] == ["first"]
    await again.close()
