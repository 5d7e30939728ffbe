"""A producer written with `taskiq-aio-pika==0.4.4`: python old_taskiq.py URL COUNT

It knows the names of the chat's exchange and queue and nothing else, so all the rest is made as TaskIQ does by
default. It runs in an environment of its own, and tells the id of each message that it sent.
"""

import asyncio
import sys

from taskiq_aio_pika import AioPikaBroker


async def main(url: str, count: int) -> None:
    """Start, which makes everything, and send some messages."""
    broker = AioPikaBroker(url, exchange_name="chat_tasks", queue_name="chat.process")

    @broker.task(task_name="chat.process")
    async def process(**_told: object) -> None:
        raise NotImplementedError("somebody else does this")

    await broker.startup()
    for number in range(count):
        task = await process.kiq(job_id=f"old-{number}", session_id="mine", message="Hello!")
        sys.stdout.write(f"{task.task_id}\n")
    await broker.shutdown()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
