"""Which comments get through."""

import asyncio

import pytest

from examples.comments.worker.checking import CheckFailed, check


@pytest.mark.parametrize(("text", "tries"), [("Hello!", 1), ("fail 2", 3), ("we fail", 1), ("fail two", 1)])
async def test_these_get_through(text: str, tries: int) -> None:
    await check(text, tries, 0)


@pytest.mark.parametrize(("text", "tries"), [("fail", 1), (" FAIL ", 99), ("fail 2", 1), ("fail 2", 2)])
async def test_these_do_not(text: str, tries: int) -> None:
    with pytest.raises(CheckFailed):
        await check(text, tries, 0)


async def test_one_may_take_longer() -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(check("wait 60", 1, 0), 0.01)
