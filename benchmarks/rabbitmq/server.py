"""The one RabbitMQ that all contenders share, with a virtual host of its own for every measurement."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pika  # type: ignore[import-untyped]

from scripts.servers.addresses import AMQP_URL, MANAGEMENT_URL
from scripts.servers.management import Management, with_virtual_host
from scripts.servers.rabbitmq import RabbitMQ, ensure_rabbitmq

#: The file in a measurement's folder that says where its virtual host is.
ADDRESS = "broker.url"
#: Seconds within which the broker must answer, and within which it must have noticed that a worker is gone.
DEADLINE = 30.0


class Server:
    """A running broker."""

    def __init__(self, url: str, management_url: str) -> None:
        self._url = url
        self._management = Management(management_url)

    @contextmanager
    def virtual_host(self, room: Path) -> Iterator[None]:
        """An empty virtual host for the measurement in a folder; gone with all its queues afterwards."""
        with self._management.virtual_host() as name:
            (room / ADDRESS).write_text(with_virtual_host(self._url, name), encoding="utf-8")
            yield

    def version(self) -> str:
        """What it calls itself."""
        return str(self._management.ask("GET", "overview")["rabbitmq_version"])


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """A private broker with its files in the folder, or the one that the environment names."""
    url, management_url = os.environ.get(AMQP_URL), os.environ.get(MANAGEMENT_URL)
    if url and management_url:
        yield Server(url, management_url)
        return
    ensure_rabbitmq()
    with RabbitMQ(folder) as broker:
        yield Server(broker.url, broker.management_url)


def url_of(place: Path) -> str:
    """Where the virtual host of the measurement is to which a folder belongs."""
    return (place.parent / ADDRESS).read_text(encoding="utf-8")


def queue_of(place: Path) -> str:
    """The only queue that is used in a folder."""
    return f"bench-{place.name}"


async def left_in(place: Path, queue: str) -> int:
    """The messages in a queue once nobody consumes from it, when it has taken back what was not acked."""
    return await asyncio.to_thread(_left_in, url_of(place), queue)


def _left_in(url: str, queue: str) -> int:
    deadline = time.monotonic() + DEADLINE
    with pika.BlockingConnection(pika.URLParameters(url)) as connection:
        channel = connection.channel()
        while True:
            told = channel.queue_declare(queue, passive=True).method
            if not told.consumer_count:
                return int(told.message_count)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{queue} still has {told.consumer_count} consumers")
            time.sleep(0.02)
