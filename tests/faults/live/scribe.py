"""A process that does attempts and tells their watchers; it is killed and frozen like a worker.

Each line of standard input is an order, each line of standard output what became of one.
"""

import asyncio
import random
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal, TypeAlias

import msgspec

from tests.faults.live.script import Mark, Script
from tests.faults.live.telling import Teller

#: How likely an attempt rests after something it says.
SOMETIMES = 0.5

Fate: TypeAlias = Literal["begun", "done", "retrying", "over", "ended"]


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt."""

    job: str
    length: int
    stage_every: int
    generation: int
    attempt: int
    #: Seconds between two things that it says, at most.
    pause: float
    #: Fail after so many things; 0 for never.
    fails_after: int = 0

    @property
    def script(self) -> Script:
        return Script(self.job, self.length, self.stage_every)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an order."""

    job: str
    generation: int
    fate: Fate


async def perform(order: Order, teller: Teller, report: Callable[[Fate], None]) -> Fate:
    """Do one attempt."""
    script = order.script
    attempt = await teller.begin(order.job, order.attempt)
    if attempt is None:
        return "ended"
    report("begun")
    for number in range(1, (order.fails_after or order.length) + 1):
        await attempt.say(script, Mark(order.generation, number))
        if random.random() < SOMETIMES:
            await asyncio.sleep(random.random() * order.pause)
        if attempt.over:
            return "over"
    if order.fails_after:
        await attempt.fail()
    else:
        await attempt.end(script.result(order.generation))
    if attempt.over:
        return "over"
    return "retrying" if order.fails_after else "done"


async def main(factory: str, url: str, window: str) -> None:
    module, _, name = factory.partition(":")
    opened: Any = getattr(import_module(module), name)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with opened(url, float(window)) as teller, asyncio.TaskGroup() as attempts:

        async def do(order: Order) -> None:
            def report(fate: Fate) -> None:
                told = Report(job=order.job, generation=order.generation, fate=fate)
                sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
                sys.stdout.buffer.flush()

            report(await perform(order, teller, report))

        sys.stdout.buffer.write(b"ready\n")
        sys.stdout.buffer.flush()
        while line := await reader.readline():
            attempts.create_task(do(msgspec.json.decode(line, type=Order)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
