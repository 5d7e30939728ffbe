"""A process that calls and is killed: it says where its answers go, and then waits for them.

Usage: python asker.py CALLS MILLISECONDS KEPT_FOR, with the broker and the kind of reply queue in the environment.
"""

import asyncio
import sys

from goatherd.adapters.rabbitmq import reply_queue
from goatherd.adapters.sqlite import reply_queues
from tests.faults.callers import caller


async def ask(calls: int, milliseconds: int) -> None:
    app, answer = caller(None)
    async with app:
        waiting = [asyncio.create_task(answer.call(number, milliseconds)) for number in range(calls)]
        while app.session().calls.in_flight < calls:
            await asyncio.sleep(0.01)
        sys.stdout.write(f"{app.session().calls.reply_queue}\n")
        sys.stdout.flush()
        await asyncio.gather(*waiting)


if __name__ == "__main__":
    # The queue of a process that is gone is kept for minutes, which is too long for a test.
    reply_queues.KEPT_FOR = float(sys.argv[3])
    reply_queue.KEPT_FOR = int(float(sys.argv[3]) * 1000)
    asyncio.run(ask(int(sys.argv[1]), int(sys.argv[2])))
