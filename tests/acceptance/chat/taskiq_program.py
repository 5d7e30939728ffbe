"""A chat-worker written with TaskIQ, on the queue of the contract, which it does not declare."""

import json
import os
import socket

from aio_pika import ExchangeType
from taskiq_aio_pika import AioPikaBroker, Exchange, Queue


def broker_at(url: str | None) -> AioPikaBroker:
    """TaskIQ on the contract's exchange and queues, as their operators made them."""
    return AioPikaBroker(
        url,
        exchange=Exchange(name="chat_tasks", type=ExchangeType.DIRECT, declare=False),
        task_queues=[Queue(name="chat.process", declare=False)],
        dead_letter_queue=Queue(name="dlq.chat.process", declare=False),
    )


broker = broker_at(os.environ.get("TASKIQ_URL"))


@broker.task(task_name="chat.process")
async def process(**told: object) -> None:
    """Tell whoever started it what came."""
    with socket.create_connection(("127.0.0.1", int(os.environ["TASKIQ_TELLS"])), 10) as listener:
        listener.sendall(json.dumps(told).encode())
