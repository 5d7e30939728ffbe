import asyncio

import pytest

from goatherd.desk.glance import Glance
from goatherd.errors import Unavailable


class Sights:
    """Counts looks, and lets each go on when the test wants."""

    def __init__(self) -> None:
        self.looks = 0
        self.open = asyncio.Event()
        self.open.set()
        self.begun = asyncio.Event()

    async def look(self) -> int:
        self.looks += 1
        seen = self.looks
        self.begun.set()
        await self.open.wait()
        return seen


async def test_those_who_ask_together_share_one_look() -> None:
    sights = Sights()
    glance = Glance(sights.look, 60.0)
    assert await asyncio.gather(*(glance.get() for _ in range(5))) == [1] * 5
    assert await glance.get() == 1


async def test_what_is_not_fresh_is_looked_at_again() -> None:
    glance = Glance(Sights().look, 0.0)
    assert (await glance.get(), await glance.get()) == (1, 2)


async def test_a_change_is_seen_also_if_it_came_while_somebody_looked() -> None:
    sights = Sights()
    sights.open.clear()
    glance = Glance(sights.look, 60.0)
    first = asyncio.create_task(glance.get())
    await sights.begun.wait()
    glance.forget()
    sights.open.set()
    assert await first == 1
    assert (await glance.get(), await glance.get()) == (2, 2)


async def test_one_who_gives_up_does_not_spoil_it_for_others() -> None:
    sights = Sights()
    sights.open.clear()
    glance = Glance(sights.look, 60.0)
    first, second = asyncio.create_task(glance.get()), asyncio.create_task(glance.get())
    await sights.begun.wait()
    first.cancel()
    sights.open.set()
    assert await second == 2


async def test_what_fails_is_tried_again() -> None:
    sights = Sights()

    async def look() -> int:
        if await sights.look() == 1:
            raise Unavailable("away")
        return 7

    glance = Glance(look, 60.0)
    with pytest.raises(Unavailable):
        await glance.get()
    assert await glance.get() == 7
