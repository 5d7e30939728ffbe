"""Ask a server about itself, on a connection of its own."""

from collections.abc import Callable, Sequence
from typing import Any

from redis.exceptions import ResponseError

from goatherd.adapters.redis.address import Address, read_address
from goatherd.adapters.redis.connection import close, exchange, opened
from goatherd.adapters.redis.failures import LOST, away, refused
from goatherd.model.server_facts import RedisFacts, Skew, Use, skew_of
from goatherd.model.settings import Settings


def redis_servers(settings: Settings) -> list[tuple[Address, list[Use]]]:
    """The servers that the settings name, and what each is used for; raises SettingsError."""
    found: list[tuple[Address, list[Use]]] = []
    named: Sequence[tuple[Use, str | None]] = (
        ("lanes", settings.lane_store),
        ("events", settings.event_store),
        ("live", settings.live_url),
    )
    for use, url in named:
        if url is not None and url.startswith("redis"):
            address = read_address(url, use)
            known = next((uses for one, uses in found if one.is_same_server(address)), None)
            if known is None:
                found.append((address, [use]))
            else:
                known.append(use)
    return found


async def redis_facts(address: Address, uses: Sequence[Use], now: Callable[[], float]) -> RedisFacts:
    """Raises Unavailable or SettingsError."""
    try:
        connection = await opened(address, "goatherd-doctor")
    except (*LOST, ResponseError) as error:
        raise refused(error, address) from error
    try:
        before = now()
        [time] = await exchange(connection, [("TIME",)])
        after = now()
        sections = ("server", "replication", "persistence", "memory")
        told = await exchange(connection, [("INFO", section) for section in sections])
    except LOST as error:
        raise away(error, address) from error
    finally:
        await close(connection)
    fields = _fields(told)
    return RedisFacts(
        server=str(address),
        uses=tuple(uses),
        version=_version(fields),
        skew=_skew(time, before, after),
        primary=fields.get("role", "master") == "master",
        appends={"0": False, "1": True}.get(fields.get("aof_enabled", "")),
        written=fields.get("aof_last_write_status", "ok") == "ok",
        most_memory=int(fields.get("maxmemory", 0)),
        memory=int(fields.get("used_memory", 0)),
        eviction=fields.get("maxmemory_policy"),
    )


def _skew(told: Any, before: float, after: float) -> Skew | None:
    if isinstance(told, Exception):
        # This user may not ask, which is no reason to see nothing else.
        return None
    seconds, micros = told
    return skew_of(int(seconds) + int(micros) / 1e6, before, after)


def _fields(told: Sequence[Any]) -> dict[str, str]:
    """Nothing of a section that this user may not see."""
    lines = [line for each in told if isinstance(each, bytes) for line in each.decode(errors="replace").splitlines()]
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _version(fields: dict[str, str]) -> str:
    # Valkey tells the version of the Redis that it stands for as well.
    name = fields.get("server_name", "redis")
    return f"{name.capitalize()} {fields.get(f'{name}_version', fields.get('redis_version', '?'))}"
