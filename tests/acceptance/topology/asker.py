"""The chat's worker, which answers one question and ends: python -m tests.acceptance.topology.asker"""

import asyncio
import sys
from uuid import uuid4

from examples.chat.herd import chat
from examples.chat.worker.service import process

#: Seconds for an answer.
PATIENCE = 60.0


async def main() -> None:
    """Say who wrote the answer."""
    async with chat.serve("worker"):
        run = await process.start(job_id=str(uuid4()), session_id="mine", message="How do I retry a job?")
        answer = await asyncio.wait_for(run.result(), PATIENCE)
    sys.stdout.write(answer.provider)


if __name__ == "__main__":
    asyncio.run(main())
