"""Ask stores whether they answer, without piling up questions at one that does not."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from goatherd.errors import GoatherdError

#: Seconds after which a question is given up, so that one that is stuck does not hide that the store is back.
GIVEN_UP = 15.0

log = logging.getLogger("goatherd.health")

Ask: TypeAlias = Callable[[], Awaitable[object]]


@dataclass(frozen=True, kw_only=True)
class Question:
    """Something that is cheap to ask and changes nothing."""

    #: Which of the stores it is about, as people know it: broker, lanes, events, records.
    port: str
    #: What is asked there; two questions to one store are two.
    about: str
    ask: Ask


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a question."""

    port: str
    #: What it told; None if there was trouble.
    told: object = None
    #: Why there is no answer; None if there is one.
    trouble: str | None = None


class Probes:
    """Of one event loop.

    A question that is not answered in time is left to end by the deadlines of its store: to break it off would break
    the connection for others. Until it has ended, it is not asked again.
    """

    def __init__(self) -> None:
        self._asked: dict[tuple[str, str], asyncio.Task[object]] = {}

    async def ask(self, questions: Iterable[Question], deadline: float) -> Sequence[Answer]:
        """All at once; raises what is no trouble of a store but a fault of ours."""
        wanted = {(question.port, question.about): question for question in questions}
        if not wanted:
            return []
        for key, question in wanted.items():
            if key not in self._asked or self._asked[key].done():
                self._asked[key] = asyncio.create_task(_answered(question.ask), name=f"goatherd probe {' '.join(key)}")
                self._asked[key].add_done_callback(_note_end)
        # Others may ask meanwhile, and replace a question that has ended.
        tasks = {key: self._asked[key] for key in wanted}
        await asyncio.wait(tasks.values(), timeout=deadline)
        return [_outcome(port, task, deadline) for (port, _), task in tasks.items()]

    async def close(self) -> None:
        """Ask no more. Idempotent."""
        tasks, self._asked = list(self._asked.values()), {}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answered(ask: Ask) -> object:
    async with asyncio.timeout(GIVEN_UP):
        return await ask()


def _note_end(task: asyncio.Task[object]) -> None:
    """Nobody may be left to hear of trouble that comes late; who asks next hears of it if it is still there."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.debug("%s: %r", task.get_name(), error)


def _outcome(port: str, task: asyncio.Task[object], deadline: float) -> Answer:
    unanswered = Answer(port=port, trouble=f"no answer within {deadline:g} s")
    if not task.done() or task.cancelled():
        return unanswered
    try:
        return Answer(port=port, told=task.result())
    except TimeoutError:
        return unanswered
    except GoatherdError as error:
        return Answer(port=port, trouble=str(error))
