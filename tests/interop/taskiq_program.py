"""A program written with TaskIQ, as its authors write it: a broker and a task that others may send to.

Its queue is declared as TaskIQ does by default: quorum, with a dead-letter queue of its own.
"""

import os
import socket

from taskiq_aio_pika import AioPikaBroker

broker = AioPikaBroker(os.environ.get("TASKIQ_URL"))


@broker.task(task_name="kitchen:cook")
async def cook(dish: str, guests: int = 1) -> None:
    """What the TaskIQ worker does: it tells who started it."""
    with socket.create_connection(("127.0.0.1", int(os.environ["TASKIQ_TELLS"])), 10) as listener:
        listener.sendall(f"{guests} x {dish}".encode())
