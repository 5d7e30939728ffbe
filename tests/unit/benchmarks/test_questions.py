import asyncio
import threading

import pytest

from benchmarks.questions import Questions, WrongAnswer, ask_by_tasks, ask_by_threads, right_answer


async def test_tasks_and_threads_ask_everything_once_and_time_each_answer() -> None:
    asked: list[int] = []

    def call(number: int) -> int:
        asked.append(number)
        return right_answer(number)

    async def call_later(number: int) -> int:
        await asyncio.sleep(0)
        return call(number)

    for ask in (
        ask_by_tasks(call_later, by_tasks := Questions(50), 7),
        ask_by_threads(call, by_threads := Questions(50), 7),
    ):
        await ask
    assert sorted(asked) == sorted([*range(50), *range(50)])
    assert by_tasks.all_answered
    assert len(by_threads.milliseconds) == 50
    assert all(took >= 0 for took in by_tasks.milliseconds)


async def test_so_many_are_on_their_way_at_once() -> None:
    under_way: list[int] = []
    all_there = asyncio.Event()

    async def call(number: int) -> int:
        under_way.append(number)
        if len(under_way) == 5:
            all_there.set()
        async with asyncio.timeout(10):
            await all_there.wait()
        return right_answer(number)

    await ask_by_tasks(call, Questions(5), 5)
    threads: set[int] = set()
    together = threading.Barrier(3, timeout=10)

    def block(number: int) -> int:
        threads.add(threading.get_ident())
        together.wait()
        return right_answer(number)

    await ask_by_threads(block, Questions(3), 3)
    assert len(threads) == 3


async def test_the_answer_to_another_question_ends_the_measurement() -> None:
    with pytest.raises(WrongAnswer, match="no answer to 3"):
        await ask_by_threads(lambda number: right_answer(min(number, 2)), Questions(9), 1)
