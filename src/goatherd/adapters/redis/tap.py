"""A connection for commands that wait on the server: one at a time, and a lost one is the caller's to ask again."""

import asyncio
from typing import Any

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.connection import ANSWER_DEADLINE, close, opened
from goatherd.adapters.redis.failures import LOST, away


class Tap:
    """Used by one task."""

    def __init__(self, address: Address, name: str) -> None:
        self._address = address
        self._name = name
        self._connection: AbstractConnection | None = None

    async def ask(self, *command: Any, patience: float) -> Any:
        """The answer, for which the server may take `patience` seconds; raises Unavailable or ResponseError."""
        try:
            connection = self._connection = self._connection or await opened(self._address, self._name)
            async with asyncio.timeout(patience + ANSWER_DEADLINE):
                await connection.send_packed_command([hiredis.pack_command(command)], check_health=False)
                return await connection.read_response(disconnect_on_error=False)
        except ResponseError:
            raise
        except BaseException as error:
            # Whatever it was, the next answer on this connection may be to this question.
            await self.close()
            if isinstance(error, LOST):
                raise away(error, self._address) from error
            raise

    async def close(self) -> None:
        """Hang up; the next question is asked on a new connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await close(connection)
