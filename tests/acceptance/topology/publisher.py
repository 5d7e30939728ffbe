"""The chat's own publisher: python -m tests.acceptance.topology.publisher COUNT RATE FILE

It sends COUNT questions at once, says so, and then RATE a second until its standard input is closed. It makes nothing
on the broker. FILE gets a line for each question: its id if it was accepted, or else what was told instead.
"""

import asyncio
import sys
from io import TextIOBase
from pathlib import Path

from examples.chat.herd import chat
from examples.chat.worker.service import process
from goatherd import Job
from goatherd.errors import GoatherdError

#: Seconds between two looks at the clock.
BREATH = 0.02


def question(name: str) -> Job[object]:
    """One of them."""
    return process.job(job_id=name, session_id="mine", message="Hello!")


async def send(name: str, told: TextIOBase) -> None:
    """Send one and note what came of it."""
    try:
        [line] = await chat.send_many([question(name)])
    except GoatherdError as error:
        line = f"not accepted: {' '.join(str(error).split())}"
    told.write(f"{line}\n")


async def publish_steadily(rate: float, told: TextIOBase) -> None:
    """As many as the clock says, whether those before were accepted or not."""
    loop = asyncio.get_running_loop()
    started, count = loop.time(), 0
    ended = asyncio.create_task(asyncio.to_thread(sys.stdin.read), name="wait for the end")
    async with asyncio.TaskGroup() as group:
        over = False
        while not over:
            over = ended.done()
            while count < (loop.time() - started) * rate:
                group.create_task(send(f"live-{count}", told), name=f"send live-{count}")
                count += 1
            await asyncio.wait([ended], timeout=BREATH)
    await ended


async def main(count: int, rate: float, file: Path) -> None:
    """Both kinds, one after the other."""
    with file.open("w") as told:
        async with chat:
            for identity in await chat.send_many([question(f"waiting-{number}") for number in range(count)]):
                told.write(f"{identity}\n")
            sys.stdout.write(f"waiting: {count}\n")
            sys.stdout.flush()
            await publish_steadily(rate, told)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])))
