"""Ask Sentinels which server is the primary one; asked again before each connection, for the answer changes."""

import asyncio
import dataclasses
from typing import Any

from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff

from goatherd.adapters.redis.address import Address, Watchmen

#: Of each list of Sentinels the one that answered last, so that those which are down are not waited for each time.
_answered: dict[tuple[tuple[str, int], ...], tuple[str, int]] = {}


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
    first = _answered.get(watchmen.places)
    places = sorted(watchmen.places, key=lambda place: place != first)
    sentinel = Sentinel(places, sentinel_kwargs=options)  # type: ignore[no-untyped-call]
    try:
        async with asyncio.timeout(address.connection_timeout * len(watchmen.places)):
            host, port = await sentinel.discover_master(watchmen.service)
        # The driver puts the one that answered in front.
        told_by = sentinel.sentinels[0].connection_pool.connection_kwargs
        _answered[watchmen.places] = told_by["host"], told_by["port"]
    finally:
        for client in sentinel.sentinels:
            await client.aclose()
    return dataclasses.replace(address, host=host, port=port)
