"""The same producer as in `old_taskiq`, written with today's TaskIQ: python new_taskiq.py URL COUNT"""

import asyncio
import sys

from taskiq_aio_pika import AioPikaBroker, Exchange, Queue


async def main(url: str, count: int) -> None:
    """Start, which makes everything, and send some messages."""
    broker = AioPikaBroker(url, exchange=Exchange(name="chat_tasks"), task_queues=[Queue(name="chat.process")])

    @broker.task(task_name="chat.process")
    async def process(**_told: object) -> None:
        raise NotImplementedError("somebody else does this")

    await broker.startup()
    for number in range(count):
        task = await process.kiq(job_id=f"new-{number}", session_id="mine", message="Hello!")
        sys.stdout.write(f"{task.task_id}\n")
    await broker.shutdown()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
