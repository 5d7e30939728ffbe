"""The Redis and the PostgreSQL that all contenders with keys share, empty for every measurement."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis

from benchmarks.lanes.places import POSTGRES, REDIS
from scripts.servers.addresses import POSTGRES_URL
from scripts.servers.postgres import Postgres, ensure_postgres
from scripts.servers.redis import Redis, ensure_redis


class Stores:
    """Those of them that a run needs."""

    def __init__(self, redis_url: str | None, postgres_url: str | None) -> None:
        self._redis = redis_url
        self._postgres = postgres_url

    @contextmanager
    def room(self, folder: Path, needed: frozenset[str]) -> Iterator[None]:
        """An empty Redis or an empty database for the measurement in a folder."""
        with ExitStack() as life:
            if "redis" in needed and self._redis is not None:
                self._ask_redis("FLUSHALL")
                (folder / REDIS).write_text(self._redis, encoding="utf-8")
            if "postgres" in needed and self._postgres is not None:
                (folder / POSTGRES).write_text(life.enter_context(_database(self._postgres)), encoding="utf-8")
            yield

    def facts(self) -> dict[str, str]:
        """What a reader must know about them."""
        facts = {}
        if self._redis is not None:
            facts["redis"] = str(self._ask_redis("INFO", "server")["redis_version"])
        if self._postgres is not None:
            with psycopg.connect(self._postgres) as connection:
                facts["postgresql"] = str(connection.info.parameter_status("server_version")).split()[0]
        return facts

    def _ask_redis(self, *command: str) -> Any:
        assert self._redis is not None, "only runs that need a Redis ask it"
        with redis.Redis.from_url(self._redis) as client:
            return client.execute_command(*command)


@contextmanager
def running(folder: Path, needed: frozenset[str]) -> Iterator[Stores]:
    """Private servers with their files in the folder; for PostgreSQL the one that the environment names, if it does.

    Redis is always private: it is emptied before each measurement.
    """
    with ExitStack() as life:
        redis_url = postgres_url = None
        if "redis" in needed:
            ensure_redis()
            redis_url = life.enter_context(Redis(folder / "redis")).url
        if "postgres" in needed:
            postgres_url = os.environ.get(POSTGRES_URL)
        if "postgres" in needed and postgres_url is None:
            ensure_postgres()
            postgres_url = life.enter_context(Postgres(folder / "postgres")).url
        yield Stores(redis_url, postgres_url)


@contextmanager
def _database(url: str) -> Iterator[str]:
    name = f"goatherd_bench_{os.urandom(6).hex()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
