"""What a store of lanes holds, in bytes; of databases, what they would hold without the room that they keep free."""

import asyncio
from pathlib import Path

import apsw
import psycopg
import redis

from benchmarks.lanes.places import postgres_of, redis_of

#: Milliseconds to wait for whoever writes to a file.
PATIENCE = 10_000


async def size_of(contender: str, place: Path) -> int:
    """Of the store of one of our contenders."""
    return await asyncio.to_thread(SIZES[contender], place)


async def analyse(place: Path) -> None:
    """Let PostgreSQL see now what its tables hold, which it does by itself a minute later."""
    async with await psycopg.AsyncConnection.connect(postgres_of(place), autocommit=True) as connection:
        await connection.execute("ANALYZE")


def of_redis(place: Path) -> int:
    """The memory that Redis has for all that it keeps."""
    with redis.Redis.from_url(redis_of(place)) as client:
        return int(client.info("memory")["used_memory"])


def of_postgres(place: Path) -> int:
    """Tables and indexes, after the clean-up that PostgreSQL does by itself sooner or later."""
    with psycopg.connect(postgres_of(place), autocommit=True) as connection:
        for _ in range(2):
            # What the first one empties, the next one gives free.
            connection.execute("VACUUM")
        told = connection.execute(
            "SELECT coalesce(sum(pg_total_relation_size(relid)), 0)::bigint FROM pg_stat_user_tables"
        ).fetchone()
    return int(told[0]) if told else 0


def of_sqlite(place: Path) -> int:
    """Pages of the file that are in use."""
    connection = apsw.Connection(str(place / "jobs.db"), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(PATIENCE)
    try:
        pages, free, size = (
            int(next(iter(connection.execute(f"PRAGMA {name}")))[0])
            for name in ("page_count", "freelist_count", "page_size")
        )
    finally:
        connection.close()
    return (pages - free) * size


SIZES = {"goatherd_redis": of_redis, "goatherd_postgres": of_postgres, "goatherd_sqlite": of_sqlite}
