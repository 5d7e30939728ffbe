"""A PostgreSQL database of a test's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg

from scripts.servers.addresses import postgres_url


@contextmanager
def own_database() -> Iterator[str]:
    """Its URL; gone afterwards, whoever is connected."""
    name = f"comments_{uuid4().hex}"
    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield urlsplit(postgres_url())._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
