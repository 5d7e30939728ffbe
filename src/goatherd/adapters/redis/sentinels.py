"""Ask Sentinels which server is the primary one; asked again before each connection, for the answer changes."""

import asyncio
import dataclasses
from typing import Any

from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff

from goatherd.adapters.redis.address import Address, Watchmen


async def primary(address: Address, watchmen: Watchmen) -> Address:
    """The address with host and port as they are now; raises an exception of the driver."""
    options: dict[str, Any] = {
        "username": watchmen.user,
        "password": watchmen.password,
        "socket_connect_timeout": address.connection_timeout,
        "socket_timeout": address.connection_timeout,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
    }
    if address.tls is not None:
        options |= {"ssl": True, **address.tls}
    sentinel = Sentinel(list(watchmen.places), sentinel_kwargs=options)  # type: ignore[no-untyped-call]
    try:
        async with asyncio.timeout(address.connection_timeout * len(watchmen.places)):
            host, port = await sentinel.discover_master(watchmen.service)
    finally:
        for client in sentinel.sentinels:
            await client.aclose()
    return dataclasses.replace(address, host=host, port=port)
