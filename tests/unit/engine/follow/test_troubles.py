"""Followers whose store is deaf, empty, away or gone."""

import asyncio
import logging
from pathlib import Path

import apsw
import pytest

from goatherd.engine import hub as hubs
from goatherd.engine import subscriptions as rounds
from goatherd.engine.subscriptions import Subscriptions
from goatherd.errors import Unavailable, UnknownJob
from goatherd.model.event import BEGINNING
from goatherd.testing.suites.event_store import Author, by_platform, done, queued
from tests.unit.engine.follow.leaky_store import LeakyStore
from tests.unit.engine.follow.muffled import Muffled
from tests.unit.engine.follow.watcher import BUFFER, JOB, Watcher, only_entries


@pytest.mark.parametrize("calls", ["lost", "doubled", "empty"])
async def test_calls_that_are_lost_doubled_or_empty_do_no_harm(
    store: Muffled, subscriptions: Subscriptions, author: Author, calls: str
) -> None:
    watcher = Watcher(await subscriptions.follow(JOB, BEGINNING))
    store.calls = calls  # type: ignore[assignment]  # one of them
    for number in range(20):
        await author.say(f"{number} ")
    await author.write(done())
    async with asyncio.timeout(10):
        await watcher.run()
    assert watcher.text == "".join(f"{number} " for number in range(20))
    assert watcher.kinds == ["queued", "started", *["token"] * 20, "done"]


async def test_the_last_event_arrives_though_its_call_is_lost(
    store: Muffled, subscriptions: Subscriptions, author: Author
) -> None:
    watcher = Watcher(await subscriptions.follow(JOB, None))
    await watcher.take()
    store.calls = "lost"
    await author.write(done())
    [entry] = await only_entries(watcher)
    assert entry.kind == "done"


async def test_what_is_no_longer_kept_is_told_as_text(
    store: Muffled, subscriptions: Subscriptions, author: Author, tmp_path: Path
) -> None:
    first = await author.say("one ")
    await author.say("two ", "three ", "four ")
    trim(store, tmp_path, 2)
    for after in (first.position, BEGINNING):
        watcher = Watcher(await subscriptions.follow(JOB, after))
        assert not watcher.follower.resumed
        await watcher.take()
        await author.say("x ")
        await watcher.take()
        assert watcher.text.startswith("one two three four x ")


async def test_a_log_that_begins_anew_is_told_as_text_to_all(
    store: Muffled, subscriptions: Subscriptions, author: Author
) -> None:
    watchers = [Watcher(await subscriptions.follow(JOB, None)) for _ in range(5)]
    for watcher in watchers:
        await watcher.take()
    await store.forget(JOB)
    other = Author(store, JOB, 2)
    await other.start()
    await other.say("anew ")
    for watcher in watchers:
        while watcher.text != "anew ":
            await watcher.take()
        assert watcher.kinds[:2] == ["reading", "reading"]


async def test_a_store_that_is_away_is_waited_for_and_said_once(
    store: Muffled, subscriptions: Subscriptions, author: Author, caplog: pytest.LogCaptureFixture
) -> None:
    level = Watcher(await subscriptions.follow(JOB, None))
    await level.take()
    behind = Watcher(await subscriptions.follow(JOB, BEGINNING))
    store.calls, store.away = "lost", True
    for number in range(3 * BUFFER):
        await author.say(f"{number} ")
    tasks = [asyncio.create_task(watcher.run()) for watcher in (level, behind)]
    with caplog.at_level(logging.WARNING, "goatherd.subscriptions"):
        looks = store.reads
        while store.reads < looks + 3:
            await store.asked.acquire()
        assert not any(task.done() for task in tasks)
        store.away = False
        await author.write(done())
        await asyncio.wait_for(asyncio.gather(*tasks), 10)
    assert level.text == behind.text == "".join(f"{number} " for number in range(3 * BUFFER))
    assert [record.message.split(";")[0] for record in caplog.records] == [
        "Events cannot be read for now",
        "Events can be read again",
    ]


async def test_a_store_that_is_away_from_the_beginning_is_an_error(
    store: Muffled, subscriptions: Subscriptions, author: Author
) -> None:
    store.away = True
    with pytest.raises(Unavailable):
        await subscriptions.follow(JOB, None)
    store.away = False
    assert not (await subscriptions.follow(JOB, None)).resumed


async def test_a_log_that_stays_gone_is_an_error_in_the_end(
    store: Muffled, subscriptions: Subscriptions, author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "GONE_AFTER", 0.5)
    watchers = [Watcher(await subscriptions.follow(JOB, None)) for _ in range(2)]
    for watcher in watchers:
        await watcher.take()
    await store.forget(JOB)
    async with asyncio.timeout(10):
        await asyncio.gather(*(watcher.run() for watcher in watchers))
    assert [type(watcher.problem) for watcher in watchers] == [UnknownJob, UnknownJob]
    await by_platform(store, JOB, queued())
    again = Watcher(await subscriptions.follow(JOB, BEGINNING))
    await again.take()
    assert again.kinds == ["queued"]


async def test_a_watch_lingers_and_is_then_given_up(
    store: Muffled, subscriptions: Subscriptions, author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "LINGER", 0.3)
    follower = await subscriptions.follow(JOB, None)
    assert subscriptions.jobs == 1
    await follower.stop()
    await follower.stop()
    assert subscriptions.jobs == 1
    async with asyncio.timeout(10):
        while subscriptions.jobs:
            await asyncio.sleep(0.01)


async def test_one_who_gives_up_while_the_watch_is_opened_leaves_the_others_alone(
    store: Muffled, subscriptions: Subscriptions, author: Author
) -> None:
    store.answers.clear()
    first = asyncio.create_task(subscriptions.follow(JOB, None))
    second = asyncio.create_task(subscriptions.follow(JOB, None))
    await asyncio.wait_for(store.asked.acquire(), 10)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    store.answers.set()
    watcher = Watcher(await asyncio.wait_for(second, 10))
    await watcher.take()
    assert watcher.kinds == ["reading"]


async def test_whoever_follows_is_told_when_the_app_closes(
    store: Muffled, subscriptions: Subscriptions, author: Author
) -> None:
    level = Watcher(await subscriptions.follow(JOB, None))
    await level.take()
    tasks = [asyncio.create_task(level.run())]
    store.answers.clear()
    joining = asyncio.create_task(subscriptions.follow(JOB, None))
    await asyncio.wait_for(store.asked.acquire(), 10)
    await subscriptions.close()
    store.answers.set()
    await asyncio.gather(*tasks)
    assert isinstance(level.problem, Unavailable)
    with pytest.raises(Unavailable, match="closed"):
        await joining
    with pytest.raises(Unavailable, match="closed"):
        await subscriptions.follow(JOB, None)
    await subscriptions.close()


def trim(store: Muffled, tmp_path: Path, left: int) -> None:
    if isinstance(store.store, LeakyStore):
        store.store.trim(JOB, left)
        return
    connection = apsw.Connection(f"{tmp_path}/jobs.db")
    connection.execute("DELETE FROM event WHERE seq <= (SELECT max(seq) FROM event) - ?", (left,))
    connection.close()
