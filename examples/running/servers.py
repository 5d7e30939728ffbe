"""Where everything is: in one file, on servers of our own, or where the environment says."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from examples.running.programs import TOP

#: Has a server in a folder, whose URL is to be called so; gives that variable, and more of them where it has more.
Start: TypeAlias = Callable[[Path, str], AbstractContextManager[Mapping[str, str]]]

_NAMES = {"rabbitmq": "RabbitMQ", "redis": "Redis", "postgres": "PostgreSQL"}


@contextmanager
def private_servers(folder: Path, variables: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Servers of our own, gone afterwards, as these variables: {"redis": "REDIS_URL"}. Raises NoServer."""
    # What starts them is part of the checkout, not of the installed package.
    if str(TOP) not in sys.path:
        sys.path.insert(0, str(TOP))
    for name in variables.values():
        if name in os.environ:
            raise SystemExit(f"Error: {name} names a server, and --servers starts one; use one of them.")
    start: Mapping[str, Start] = {"rabbitmq": _rabbitmq, "redis": _redis, "postgres": _postgres}
    print(f"Starting {listed(variables, 'private')}", file=sys.stderr)
    with ExitStack() as life:
        started = [life.enter_context(start[server](folder / server, name)) for server, name in variables.items()]
        yield {name: url for one in started for name, url in one.items()}


def listed(servers: Mapping[str, str], *adjectives: str) -> str:
    """`a RabbitMQ and a Redis`."""
    names = [" ".join(["a", *adjectives, _NAMES[server]]) for server in servers]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


@contextmanager
def _rabbitmq(folder: Path, name: str) -> Iterator[Mapping[str, str]]:
    from scripts.servers.rabbitmq import RabbitMQ, ensure_rabbitmq

    ensure_rabbitmq()
    with RabbitMQ(folder) as started:
        # Operators also look at it, and change it, over HTTP.
        yield {name: started.url, f"{name.removesuffix('_URL')}_MANAGEMENT_URL": started.management_url}


@contextmanager
def _redis(folder: Path, name: str) -> Iterator[Mapping[str, str]]:
    from scripts.servers.redis import Redis, ensure_redis

    ensure_redis()
    with Redis(folder) as started:
        yield {name: started.url}


@contextmanager
def _postgres(folder: Path, name: str) -> Iterator[Mapping[str, str]]:
    from scripts.servers.postgres import Postgres, ensure_postgres

    ensure_postgres()
    with Postgres(folder) as started:
        yield {name: started.url}
