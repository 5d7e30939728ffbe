"""Questions for a server to answer: each is a number, and its answer is checked and timed."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor


class WrongAnswer(Exception):
    """Somebody got an answer that belongs to another question, or to none."""


def right_answer(number: int) -> int:
    """What every contender's server answers."""
    return 3 * number + 1


class Questions:
    """Handed out one by one, to tasks, callbacks or threads."""

    def __init__(self, count: int) -> None:
        self._left = iter(range(count))
        self._asked = [0] * count
        self._took: list[int] = []

    def next(self) -> int | None:
        """A number to ask; None if all were asked. Its clock runs from now."""
        number = next(self._left, None)
        if number is not None:
            self._asked[number] = time.perf_counter_ns()
        return number

    def answered(self, number: int, answer: object) -> None:
        """Its clock stops; raises WrongAnswer."""
        self._took.append(time.perf_counter_ns() - self._asked[number])
        if answer != right_answer(number):
            raise WrongAnswer(f"{answer!r} is no answer to {number}, which is {right_answer(number)}")

    @property
    def all_answered(self) -> bool:
        """Whether every question has its answer."""
        return len(self._took) == len(self._asked)

    @property
    def milliseconds(self) -> list[float]:
        """What each answer took."""
        return [nanoseconds / 1_000_000 for nanoseconds in self._took]


async def ask_by_tasks(call: Callable[[int], Awaitable[object]], questions: Questions, at_once: int) -> None:
    """Tasks on one loop, each waiting for its answer before it asks the next."""

    async def one() -> None:
        while (number := questions.next()) is not None:
            questions.answered(number, await call(number))

    async with asyncio.TaskGroup() as askers:
        for _ in range(at_once):
            askers.create_task(one())


async def ask_by_threads(call: Callable[[int], object], questions: Questions, at_once: int) -> None:
    """The same with threads; the loop has nothing else to do meanwhile."""

    def one() -> None:
        while (number := questions.next()) is not None:
            questions.answered(number, call(number))

    with ThreadPoolExecutor(at_once) as threads:
        for ended in [threads.submit(one) for _ in range(at_once)]:
            ended.result()
