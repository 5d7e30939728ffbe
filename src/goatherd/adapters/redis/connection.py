"""Make a connection that is ready for use, or none: every step has a deadline, and nothing is tried twice."""

import asyncio
from typing import Any

import hiredis
from redis.asyncio.connection import AbstractConnection, Connection, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import RedisError, ResponseError

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.sentinels import primary

#: Seconds that the server may take for the answers to what was sent together.
ANSWER_DEADLINE = 5.0


def make_connection(address: Address, name: str) -> AbstractConnection:
    """A connection that is not open yet."""
    options: dict[str, Any] = {
        "host": address.host,
        "port": address.port,
        "db": address.database,
        "username": address.user,
        "password": address.password,
        "socket_connect_timeout": address.connection_timeout,
        # Deadlines are ours: the driver's way to write in time loses the cancellation of its caller now and then.
        "socket_timeout": None,
        "client_name": name,
        # What is sent again is decided by us, not by the driver.
        "retry": Retry(NoBackoff(), 0),
        "health_check_interval": 0,
        "protocol": 2,
    }
    if address.tls is None:
        return Connection(**options)
    return SSLConnection(**options, **address.tls)


async def opened(address: Address, name: str) -> AbstractConnection:
    """An open connection, to the server that is the primary one now; raises an exception of the driver."""
    if address.watchmen is not None:
        address = await primary(address, address.watchmen)
    connection = make_connection(address, name)
    try:
        async with asyncio.timeout(address.connection_timeout + ANSWER_DEADLINE):
            await connection.connect()  # type: ignore[no-untyped-call]
            if address.watchmen is not None:
                await _check_primary(connection, address)
    except BaseException:
        await close(connection)
        raise
    return connection


async def _check_primary(connection: AbstractConnection, address: Address) -> None:
    """Sentinels learn of a change a little late, and a server that was the primary one says so at once."""
    [role] = await exchange(connection, [("ROLE",)])
    if isinstance(role, list) and role[0] != b"master":
        raise LostConnection(f"{address.host}:{address.port} is no longer the primary server")


async def close(connection: AbstractConnection) -> None:
    """Let go of it, whatever state it is in."""
    try:
        await connection.disconnect(nowait=True)
    except (RedisError, OSError):
        # It was lost already.
        return


async def exchange(connection: AbstractConnection, commands: list[tuple[Any, ...]]) -> list[Any]:
    """Send all and read the answer to each; one that is an error is among them as it is."""
    return await answers_to(connection, b"".join(map(hiredis.pack_command, commands)), len(commands))


async def answers_to(connection: AbstractConnection, packed: bytes, count: int) -> list[Any]:
    """The same for commands that are packed already."""
    async with asyncio.timeout(ANSWER_DEADLINE):
        await connection.send_packed_command(packed, check_health=False)
        return [await _answer(connection) for _ in range(count)]


async def _answer(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response(disconnect_on_error=False)
    except ResponseError as error:
        return error
