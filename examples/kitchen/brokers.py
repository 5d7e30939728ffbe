"""Where the messages and the events are: in one file, on servers of our own, or on a broker that is named."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from examples.kitchen.programs import TOP


@contextmanager
def embedded(_folder: Path) -> Iterator[Mapping[str, str]]:
    """One SQLite file, or what RABBITMQ_URL and Goatherd's own settings name."""
    yield {}


@contextmanager
def private_servers(folder: Path) -> Iterator[Mapping[str, str]]:
    """A RabbitMQ and a Redis of our own, gone afterwards; raises NoServer."""
    # What starts them is part of the checkout, not of the installed package.
    if str(TOP) not in sys.path:
        sys.path.insert(0, str(TOP))
    from scripts.servers.rabbitmq import RabbitMQ, ensure_rabbitmq
    from scripts.servers.redis import Redis, ensure_redis

    _refuse_two_brokers()
    ensure_rabbitmq()
    ensure_redis()
    print("kitchen: starting a private RabbitMQ and a private Redis", file=sys.stderr)
    with RabbitMQ(folder / "rabbitmq") as broker, Redis(folder / "redis") as events:
        yield {"RABBITMQ_URL": broker.url, "GOATHERD_EVENTS_URL": events.url}


def _refuse_two_brokers() -> None:
    for name in ("RABBITMQ_URL", "GOATHERD_EVENTS_URL"):
        if name in os.environ:
            raise SystemExit(f"Error: {name} names a server, and --servers starts one; use one of them.")
