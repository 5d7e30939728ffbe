"""Followers of jobs, on a store in memory that tells its events and on the one in a file, which only rings."""

import asyncio

import pytest

from goatherd.engine.subscriptions import Subscriptions
from goatherd.errors import UnknownJob
from goatherd.model.event import BEGINNING, Position
from goatherd.model.reading import Reading
from goatherd.testing.suites.event_store import Author, by_platform, done, failed, queued
from tests.unit.engine.follow.muffled import Muffled
from tests.unit.engine.follow.watcher import BUFFER, JOB, Watcher, only_entries


async def test_from_the_beginning_everything_is_told_and_then_what_comes(
    subscriptions: Subscriptions, author: Author
) -> None:
    await author.say("one ", "two ")
    watcher = Watcher(await subscriptions.follow(JOB, BEGINNING))
    assert watcher.follower.resumed
    await watcher.take()
    assert watcher.kinds == ["queued", "started", "token", "token"]
    await author.say("three")
    await watcher.take()
    assert (watcher.text, watcher.follower.ended) == ("one two three", False)
    await author.write(done())
    await watcher.take()
    assert watcher.kinds[-1] == "done"
    with pytest.raises(StopAsyncIteration):
        await watcher.follower.next()


async def test_without_a_position_the_job_is_told_as_it_stands(subscriptions: Subscriptions, author: Author) -> None:
    await author.say("one ", "two ")
    watcher = Watcher(await subscriptions.follow(JOB, None))
    assert not watcher.follower.resumed
    told = await watcher.take()
    assert isinstance(told, Reading)
    assert told.text == "one two "
    await author.say("three")
    await watcher.take()
    assert watcher.text == "one two three"


async def test_a_position_is_gone_on_from(subscriptions: Subscriptions, author: Author) -> None:
    first = await author.say("one ")
    await author.say("two ", "three ")
    watcher = Watcher(await subscriptions.follow(JOB, first.position))
    assert watcher.follower.resumed
    await watcher.take()
    assert watcher.text == "two three "


async def test_who_comes_back_needs_no_look_at_the_store(
    store: Muffled, subscriptions: Subscriptions, author: Author
) -> None:
    first = await author.say("one ")
    watcher = Watcher(await subscriptions.follow(JOB, first.position))
    await author.say("two ")
    await watcher.take()
    await watcher.follower.stop()
    reads = store.reads
    again = Watcher(await subscriptions.follow(JOB, first.position))
    await again.take()
    assert again.text == "two "
    assert (store.reads, store.watches) == (reads, 1)


async def test_a_job_that_has_ended_is_told_to_its_end(subscriptions: Subscriptions, author: Author) -> None:
    await author.say("one ")
    await author.write(done())
    for after, wanted in [(BEGINNING, ["queued", "started", "token", "done"]), (None, ["reading"])]:
        watcher = Watcher(await subscriptions.follow(JOB, after))
        await watcher.run()
        assert watcher.kinds == wanted
        assert watcher.problem is None
        assert watcher.follower.ended


async def test_who_has_seen_the_end_is_told_so_at_once(subscriptions: Subscriptions, author: Author) -> None:
    outcome = await author.write(failed(attempt=1))
    for _ in range(2):
        follower = await subscriptions.follow(JOB, outcome.position)
        assert follower.ended
        assert follower.ready() is None


async def test_an_unknown_job_is_an_error(store: Muffled, subscriptions: Subscriptions) -> None:
    for after in (None, BEGINNING, Position("abc", 7)):
        with pytest.raises(UnknownJob):
            await subscriptions.follow("nobody", after)


async def test_a_job_may_begin_after_an_error(store: Muffled, subscriptions: Subscriptions) -> None:
    with pytest.raises(UnknownJob):
        await subscriptions.follow(JOB, BEGINNING)
    await by_platform(store, JOB, queued())
    watcher = Watcher(await subscriptions.follow(JOB, BEGINNING))
    await watcher.take()
    assert watcher.kinds == ["queued"]


async def test_many_share_one_watch_and_what_is_made_of_events(
    store: Muffled, subscriptions: Subscriptions, author: Author
) -> None:
    watchers = [Watcher(await subscriptions.follow(JOB, BEGINNING)) for _ in range(20)]
    taken = [await watcher.take() for watcher in watchers]
    assert store.watches == 1
    assert store.reads == 1
    await author.say("one ")
    taken = await asyncio.gather(*(watcher.take() for watcher in watchers))
    assert len({id(batch) for batch in taken}) == 1


async def test_snapshots_for_many_are_read_together(
    store: Muffled, subscriptions: Subscriptions, author: Author
) -> None:
    await author.say("one ")
    watchers = [Watcher(await subscriptions.follow(JOB, BEGINNING)) for _ in range(3)]
    reads = store.reads
    followers = await asyncio.gather(*(subscriptions.follow(JOB, None) for _ in range(20)))
    assert store.reads == reads + 1
    assert {follower.resumed for follower in followers} == {False}
    assert len(watchers) + len(followers) == 23


async def test_who_comes_while_a_snapshot_is_read_gets_the_next_one(
    store: Muffled, subscriptions: Subscriptions, author: Author
) -> None:
    keeper = await subscriptions.follow(JOB, BEGINNING)
    store.answers.clear()
    reads, asked = store.reads, store.asked
    first = asyncio.create_task(subscriptions.follow(JOB, None))
    while store.reads == reads:
        await asyncio.wait_for(asked.acquire(), 10)
    others = [asyncio.create_task(subscriptions.follow(JOB, None)) for _ in range(20)]
    await asyncio.sleep(0)
    store.answers.set()
    watchers = [Watcher(follower) for follower in await asyncio.gather(first, *others)]
    assert store.reads == reads + 2
    assert {(await watcher.take()).top for watcher in watchers} == {keeper.hub.ring.top}  # type: ignore[union-attr]


async def test_a_slow_one_is_served_from_the_log(store: Muffled, subscriptions: Subscriptions, author: Author) -> None:
    slow = Watcher(await subscriptions.follow(JOB, None))
    await slow.take()
    fast = Watcher(await subscriptions.follow(JOB, None))
    task = asyncio.create_task(fast.run())
    for number in range(4 * BUFFER):
        await author.say(f"{number} ")
    await author.write(done())
    await asyncio.wait_for(task, 10)
    await slow.run()
    assert slow.text == fast.text == "".join(f"{number} " for number in range(4 * BUFFER))
    assert slow.kinds.count("reading") == 1


async def test_one_who_is_far_behind_gets_the_whole_text_at_once(subscriptions: Subscriptions, author: Author) -> None:
    first = await author.say("0 ")
    slow = Watcher(await subscriptions.follow(JOB, None))
    await slow.take()
    every = Watcher(await subscriptions.follow(JOB, first.position, every=True))
    for number in range(1, 1200, 50):
        await author.say(*(f"{word} " for word in range(number, number + 50)))
    again = Watcher(await subscriptions.follow(JOB, first.position))
    assert not again.follower.resumed
    for watcher in (slow, again):
        assert isinstance(await watcher.take(), Reading)
    await author.write(done())
    for watcher in (slow, again, every):
        await watcher.run()
    assert again.kinds == ["reading", "done"]
    assert slow.kinds == ["reading", "reading", "done"]
    assert slow.text == again.text == f"0 {every.text}"
    assert every.kinds == ["token"] * 1200 + ["done"]


async def test_events_of_many_bytes_also_make_one_far_behind(subscriptions: Subscriptions, author: Author) -> None:
    first = await author.say("0 ")
    for number in range(200):
        await author.write(author.progress("work", number, filling="x" * 2048))
    again = Watcher(await subscriptions.follow(JOB, first.position))
    told = await again.take()
    assert isinstance(told, Reading)
    assert (told.state.progress, told.text) == (199, "0 ")


async def test_a_long_text_is_not_told_again_and_again_to_one_who_is_slow(
    subscriptions: Subscriptions, author: Author
) -> None:
    for _ in range(10):
        first = await author.say(*("x" * 2048 for _ in range(50)))
    await author.say(*("y" * 2048 for _ in range(200)))
    slow = Watcher(await subscriptions.follow(JOB, first.position))
    sizes = []
    while slow.position.seq < first.position.seq + 200:
        sizes.append(sum(len(entry.body) for entry in await only_entries(slow)))
    assert slow.text == "y" * 2048 * 200
    assert max(sizes) <= 64 * 1024


async def test_a_nudge_lets_the_one_who_waits_go_on_with_nothing(subscriptions: Subscriptions, author: Author) -> None:
    watcher = Watcher(await subscriptions.follow(JOB, None))
    await watcher.take()
    waiting = asyncio.create_task(watcher.follower.next())
    await asyncio.sleep(0)
    watcher.follower.nudge()
    assert await asyncio.wait_for(waiting, 10) == ()
    await author.say("one ")
    await watcher.take()
    assert watcher.text == "one "


async def test_one_who_stops_to_wait_may_wait_again(subscriptions: Subscriptions, author: Author) -> None:
    watcher = Watcher(await subscriptions.follow(JOB, None))
    await watcher.take()
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await watcher.take(0.01)
    await author.say("one ")
    await watcher.take()
    assert watcher.text == "one "
