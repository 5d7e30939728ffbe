"""Many waits of the same length share one timer, and none of them is forgotten."""

import asyncio

import pytest

from goatherd.adapters.rabbitmq.patience import Patience


async def test_a_future_that_is_not_done_in_time_ends() -> None:
    patience = Patience(0.01)
    future = asyncio.get_running_loop().create_future()
    patience.limit(future)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(future, 5)


async def test_one_that_is_done_or_cancelled_is_left_alone() -> None:
    patience, loop = Patience(0.01), asyncio.get_running_loop()
    done, cancelled, late = loop.create_future(), loop.create_future(), loop.create_future()
    for future in (done, cancelled, late):
        patience.limit(future)
    done.set_result(None)
    cancelled.cancel()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(late, 5)
    assert done.result() is None
    assert cancelled.cancelled()


async def test_each_has_its_own_time_though_they_share_a_timer() -> None:
    patience, loop = Patience(0.05), asyncio.get_running_loop()
    ended = []
    for number in range(3):
        future = loop.create_future()
        patience.limit(future)
        future.add_done_callback(lambda future, number=number: ended.append((number, future.exception())))
        last = future
        await asyncio.sleep(0.02)
    await asyncio.wait([last], timeout=5)
    assert [number for number, _ in ended] == [0, 1, 2]
    assert all(isinstance(error, TimeoutError) for _, error in ended)


async def test_after_all_have_ended_the_next_is_watched_again() -> None:
    patience, loop = Patience(0.01), asyncio.get_running_loop()
    for _ in range(2):
        future = loop.create_future()
        patience.limit(future)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(future, 5)
