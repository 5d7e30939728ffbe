"""Where the stores of a measurement are."""

from pathlib import Path

#: The files in its folder that say so.
REDIS, POSTGRES = "redis.url", "postgres.url"


def redis_of(place: Path) -> str:
    """Where the Redis of the measurement is to which a folder belongs."""
    return (place.parent / REDIS).read_text(encoding="utf-8")


def postgres_of(place: Path) -> str:
    """Where its database is."""
    return (place.parent / POSTGRES).read_text(encoding="utf-8")
