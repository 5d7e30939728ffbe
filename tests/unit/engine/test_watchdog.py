import asyncio
import logging
import threading
import time
from collections.abc import Iterator

import pytest

from goatherd.engine.watchdog import Watchdog


class Told(logging.Handler):
    """Lets the code that blocks the loop go on as soon as it has been told of."""

    def __init__(self) -> None:
        super().__init__()
        self.event = threading.Event()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
        self.event.set()


@pytest.fixture
def told() -> Iterator[Told]:
    handler = Told()
    logger = logging.getLogger("goatherd.worker")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def block_until(event: threading.Event) -> None:
    assert event.wait(20)


async def test_code_that_blocks_the_loop_is_named_with_its_stack(told: Told) -> None:
    async def busy() -> None:
        block_until(told.event)

    watchdog = Watchdog(patience=0.05)
    watchdog.start()
    await asyncio.create_task(busy(), name="resize[7]")
    watchdog.stop()
    [text] = told.texts
    assert "blocked for 0." in text
    assert "by resize[7]" in text
    assert "block_until(told.event)" in text
    assert "make the task a plain `def`" in text


async def test_one_blockade_is_told_once_and_the_next_again(told: Told) -> None:
    watchdog = Watchdog(patience=0.05)
    watchdog.start()
    block_until(told.event)
    time.sleep(0.1)
    assert len(told.texts) == 1
    told.event.clear()
    turned = asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, turned.set)
    await turned.wait()
    block_until(told.event)
    watchdog.stop()
    assert len(told.texts) == 2


async def test_a_loop_that_turns_is_left_in_peace(told: Told) -> None:
    watchdog = Watchdog(patience=10)
    watchdog.start()
    await asyncio.sleep(0)
    watchdog.stop()
    assert told.texts == []


async def test_code_outside_of_any_task_is_told_too(told: Told) -> None:
    watchdog = Watchdog(patience=0.05)
    watchdog.start()
    done = asyncio.Event()

    def callback() -> None:
        block_until(told.event)
        done.set()

    asyncio.get_running_loop().call_soon(callback)
    await done.wait()
    watchdog.stop()
    assert "by code outside of any task" in told.texts[0]
