"""The clock of tests."""

import asyncio
from functools import partial

from goatherd.testing.clock import FakeClock


async def test_it_stands_still() -> None:
    clock = FakeClock(1000)
    await asyncio.sleep(0.01)
    assert clock.now() == 1000


async def test_what_waits_happens_in_order_and_at_its_time() -> None:
    clock = FakeClock(1000)
    happened: list[tuple[str, float]] = []

    def note(name: str) -> None:
        happened.append((name, clock.now()))

    for name, when in (("second", 1020.0), ("first", 1010.0), ("also second", 1020.0), ("later", 1100.0)):
        clock.call_at(when, partial(note, name))
    assert clock.next_moment() == 1010
    clock.move_to(1050)
    assert happened == [("first", 1010), ("second", 1020), ("also second", 1020)]
    assert clock.now() == 1050
    assert clock.next_moment() == 1100


async def test_what_is_cancelled_does_not_happen() -> None:
    clock = FakeClock(1000)
    happened: list[str] = []
    timer = clock.call_at(1010, lambda: happened.append("cancelled"))
    timer.cancel()
    timer.cancel()
    assert clock.next_moment() is None
    clock.move_to(2000)
    assert happened == []


async def test_what_is_due_already_happens_at_once() -> None:
    clock = FakeClock(1000)
    happened = asyncio.Event()
    clock.call_at(1000, happened.set)
    assert clock.next_moment() is None
    await asyncio.wait_for(happened.wait(), 1)


async def test_what_happens_may_ask_for_more() -> None:
    clock = FakeClock(0)
    beats: list[float] = []

    def beat() -> None:
        beats.append(clock.now())
        clock.call_at(clock.now() + 10, beat)

    clock.call_at(10, beat)
    clock.move_to(35)
    assert beats == [10, 20, 30]
