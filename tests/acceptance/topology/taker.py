"""The chat's worker, with nothing to do but to note what it took: python -m tests.acceptance.topology.taker FILE

It makes nothing on the broker, and ends when its standard input is closed.
"""

import asyncio
import sys
from pathlib import Path

from examples.chat.herd import chat, questions
from goatherd import Context

FILE = Path(sys.argv[1])


@chat.task(name="chat.process", queue=questions)
async def process(ctx: Context, job_id: str, session_id: str, message: str) -> None:
    """A little work, so that there is always something in hand."""
    await asyncio.sleep(0.002)
    with FILE.open("a") as told:
        told.write(f"{ctx.job_id}\n")


async def main() -> None:
    """Say when it takes jobs."""
    async with chat.serve("worker"):
        sys.stdout.write("taking\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
