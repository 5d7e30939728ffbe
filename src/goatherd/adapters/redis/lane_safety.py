"""Whether a server keeps what it was given: lanes are no cache."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from redis.exceptions import ResponseError

from goatherd.adapters.redis.address import Address
from goatherd.errors import SettingsError, Unavailable

log = logging.getLogger("goatherd.redis")

_KNOWINGLY = "or say that jobs may be lost with GOATHERD_VOLATILE_LANES=1"


async def check_safety(ask: Callable[..., Awaitable[Any]], address: Address) -> None:
    """Raises SettingsError for a server that forgets jobs when it ends or when its memory is full."""
    try:
        told = _fields(await ask("INFO", "persistence")) | _fields(await ask("INFO", "memory"))
    except Unavailable as error:
        if not isinstance(error.__cause__, ResponseError):
            raise
        log.warning(
            "%s does not tell whether it keeps what it was given (%s); see for yourself that it has appendonly on and "
            "the maxmemory-policy noeviction, or it loses jobs in lanes",
            address,
            error.__cause__,
        )
        return
    if problems := _problems(told, address):
        raise SettingsError(problems)


def _problems(told: dict[str, str], address: Address) -> list[str]:
    problems: list[str] = []
    if told.get("aof_enabled") == "0":
        problems.append(
            f"{address} has no append-only file, so it would forget the jobs in lanes when it ends; turn it on (CONFIG "
            f"SET appendonly yes, and appendonly yes in its configuration), or name another server in "
            f"{address.variable}, {_KNOWINGLY}"
        )
    policy = told.get("maxmemory_policy", "noeviction")
    if told.get("maxmemory", "0") != "0" and policy != "noeviction":
        problems.append(
            f"{address} throws keys away when its memory is full ({policy}), and lanes with them; set it to keep them "
            f"(CONFIG SET maxmemory-policy noeviction, and the same in its configuration), or name another server in "
            f"{address.variable}, {_KNOWINGLY}"
        )
    return problems


def _fields(told: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in told.decode(errors="replace").splitlines())
    return {name: value.strip() for name, _, value in lines}
