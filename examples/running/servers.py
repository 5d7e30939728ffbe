"""Where the messages and the events are: in one file, on servers of our own, or where the environment says."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from examples.running.programs import TOP


@contextmanager
def private_servers(folder: Path, *, broker: str, events: str) -> Iterator[Mapping[str, str]]:
    """A RabbitMQ and a Redis of our own, gone afterwards, as variables of these names; raises NoServer."""
    # What starts them is part of the checkout, not of the installed package.
    if str(TOP) not in sys.path:
        sys.path.insert(0, str(TOP))
    from scripts.servers.rabbitmq import RabbitMQ, ensure_rabbitmq
    from scripts.servers.redis import Redis, ensure_redis

    for name in (broker, events):
        if name in os.environ:
            raise SystemExit(f"Error: {name} names a server, and --servers starts one; use one of them.")
    ensure_rabbitmq()
    ensure_redis()
    print("Starting a private RabbitMQ and a private Redis", file=sys.stderr)
    with RabbitMQ(folder / "rabbitmq") as rabbitmq, Redis(folder / "redis") as redis:
        yield {broker: rabbitmq.url, events: redis.url}
