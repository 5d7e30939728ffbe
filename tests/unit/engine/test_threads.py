import asyncio
import threading
from collections.abc import Iterator

import pytest

from goatherd.engine.threads import Threads


@pytest.fixture
def threads() -> Iterator[Threads]:
    made = Threads()
    yield made
    made.close()


def ours() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("goatherd-task-")}


async def test_a_thread_is_used_again(threads: Threads) -> None:
    first = await threads.run(threading.get_ident)
    for _ in range(20):
        assert await threads.run(threading.get_ident) == first
    assert first != threading.get_ident()


async def test_functions_at_the_same_time_have_a_thread_each(threads: Threads) -> None:
    together = threading.Barrier(4)
    outcomes = await asyncio.gather(*(threads.run(lambda: together.wait(20)) for _ in range(4)))
    assert sorted(outcomes) == [0, 1, 2, 3]


async def test_an_error_comes_to_whoever_waits(threads: Threads) -> None:
    def broken() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        await threads.run(broken)


async def test_a_function_whose_caller_has_gone_ends_in_peace(threads: Threads) -> None:
    go_on, ended = threading.Event(), threading.Event()

    def slow() -> None:
        go_on.wait(20)
        ended.set()

    waiting = threads.run(slow)
    waiting.cancel()
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 20)
    assert await threads.run(lambda: "next") == "next"


async def test_a_thread_that_hangs_does_not_keep_the_process() -> None:
    threads, go_on = Threads(), threading.Event()
    hanging = threads.run(lambda: go_on.wait(20))
    [thread] = ours()
    threads.close()
    assert thread.daemon
    go_on.set()
    await hanging
    await asyncio.to_thread(thread.join, 20)
    assert not thread.is_alive()


def test_an_outcome_for_a_loop_that_has_closed_is_dropped(threads: Threads) -> None:
    go_on = threading.Event()

    async def leave() -> None:
        threads.run(lambda: go_on.wait(20)).cancel()

    asyncio.run(leave())
    go_on.set()
    assert asyncio.run(_answer(threads)) == 7


async def _answer(threads: Threads) -> object:
    return await threads.run(lambda: 7)
