"""Each safeguard by itself: what happens at once when a call goes wrong, and what only after a silence."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from goatherd.engine.subscriptions import Subscriptions
from goatherd.model.admission import Append
from goatherd.model.event import BEGINNING, Done, Event, Position, Progress, Queued, Started, Token
from goatherd.model.reading import Reading
from goatherd.testing.clock import FakeClock
from tests.unit.engine.follow.leaky_store import LeakyStore
from tests.unit.engine.follow.watcher import Watcher

JOB = "job"
TURNS = 60


async def settle() -> None:
    """Let everything happen that does not need time: the store answers at once."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


class Life:
    """A job that is followed from its beginning, on a clock that stands still."""

    def __init__(self) -> None:
        self.store = LeakyStore()
        self.clock = FakeClock(1000.0)
        self.subscriptions = Subscriptions(self.store, self.clock, look_after=5.0, buffer=4)
        self.tasks: list[asyncio.Task[None]] = []

    async def write(self, *events: Event) -> None:
        for event in events:
            numbered = {"run": "r", "number": 1 if isinstance(event, Started) else 2} if event.attempt else {}
            await self.store.append(JOB, Append(events=[event], **numbered))  # type: ignore[arg-type]  # either or none

    async def say(self, *texts: str) -> None:
        await self.write(*(Token(attempt=1, at=1.0, text=text) for text in texts))

    async def follow(self, after: Position | None = BEGINNING) -> Watcher:
        watcher = Watcher(await self.subscriptions.follow(JOB, after))
        self.tasks.append(asyncio.create_task(watcher.run()))
        await settle()
        return watcher

    async def deliver(self, *indexes: int) -> None:
        """Let these calls arrive, in this order, and lose the others."""
        mail, self.store.mail = self.store.mail, []
        for index in indexes:
            self.store.ring(*mail[index])
        await settle()

    async def wait(self, seconds: float) -> None:
        until = self.clock.now() + seconds
        while (moment := self.clock.next_moment()) is not None and moment <= until:
            self.clock.move_to(moment)
            await settle()


@pytest.fixture
async def life() -> AsyncIterator[Life]:
    life = Life()
    await life.write(Queued(attempt=0, at=1.0), Started(attempt=1, at=1.0, worker="w"))
    life.store.mail.clear()
    yield life
    await life.subscriptions.close()
    await asyncio.gather(*life.tasks)


async def test_what_a_call_tells_needs_no_look(life: Life) -> None:
    watcher = await life.follow()
    reads = len(life.store.reads)
    await life.say("a", "b")
    await life.deliver(0, 1)
    assert watcher.text == "ab"
    assert len(life.store.reads) == reads


async def test_a_hole_is_seen_by_the_next_call(life: Life) -> None:
    watcher = await life.follow()
    await life.say("a", "b", "c")
    await life.deliver(2)
    assert watcher.text == "abc"


async def test_calls_that_overtake_each_other_or_come_twice_do_no_harm(life: Life) -> None:
    watcher = await life.follow()
    await life.say("a", "b", "c")
    await life.deliver(1, 0, 0, 2, 1, 2, 0)
    assert watcher.text == "abc"
    assert watcher.kinds == ["queued", "started", "token", "token", "token"]


async def test_a_call_without_events_is_a_reason_to_look(life: Life) -> None:
    watcher = await life.follow()
    await life.say("a")
    life.store.mail = [(JOB, ())]
    await life.deliver(0)
    assert watcher.text == "a"


async def test_the_last_call_is_missed_after_a_silence(life: Life) -> None:
    watcher = await life.follow()
    await life.write(Done(attempt=1, at=1.0, result=msgspec.Raw(b"1")))
    await life.deliver()
    await life.wait(4.9)
    assert watcher.kinds[-1] == "started"
    await life.wait(2)
    assert watcher.kinds[-1] == "done"
    assert watcher.follower.ended


async def test_the_next_number_of_another_epoch_is_not_the_next_event(life: Life) -> None:
    watcher = await life.follow()
    await life.say("a", "b", "lost")
    await life.deliver(0, 1, 2)
    life.store.lose_end(JOB, 2)
    await life.say("B")
    await life.say("C")
    # Under another epoch, and it has the number that would come next.
    await life.say("D")
    await life.deliver(2)
    assert watcher.text == "aBCD"
    assert watcher.kinds[-1] == "reading"


async def test_a_store_that_lost_its_end_does_not_take_back_what_was_told(life: Life) -> None:
    watcher = await life.follow()
    await life.say("a", "b")
    await life.deliver(0, 1)
    life.store.lose_end(JOB, 1)
    await life.wait(30)
    assert watcher.text == "ab"
    again = await life.follow(watcher.position)
    await life.wait(30)
    assert again.told == []
    await life.say("b", "c")
    await life.deliver(0, 1)
    assert watcher.text == again.text == "abc"


async def test_one_who_is_behind_does_not_mislead_the_others(life: Life) -> None:
    """A log that lost its end and goes on: its numbers follow on ours, its events do not."""
    watcher = await life.follow()
    await life.say("a", "b", "c")
    await life.deliver(0, 1, 2)
    behind = watcher.told[-3]
    assert not isinstance(behind, Reading)
    life.store.lose_end(JOB, 1)
    await life.say("C", "D")
    await life.deliver()
    other = await life.follow(Position(behind.position.epoch, behind.position.seq - 1))
    await life.wait(10)
    assert watcher.text == "abCD"
    assert other.position == watcher.position


async def test_one_who_is_behind_a_job_that_has_ended_outlasts_its_store(life: Life) -> None:
    slow = Watcher(await life.subscriptions.follow(JOB, BEGINNING))
    fast = await life.follow()
    await life.say(*"abcdefgh")
    await life.write(Done(attempt=1, at=1.0, result=msgspec.Raw(b"1")))
    await life.deliver(*range(9))
    assert fast.follower.ended
    life.store.away = True
    life.tasks.append(asyncio.create_task(slow.run()))
    await settle()
    assert not slow.follower.ended
    life.store.away = False
    await life.wait(7)
    assert slow.text == "abcdefgh"
    assert slow.follower.ended


async def test_a_stage_in_between_is_told_like_any_other(life: Life) -> None:
    watcher = await life.follow()
    await life.write(Progress(attempt=1, at=1.0, stage="work"))
    await life.deliver(0)
    assert watcher.kinds[-1] == "progress"
