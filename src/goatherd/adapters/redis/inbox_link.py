"""The connections of an inbox: one that listens, and one that removes meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.commands import Commands
from goatherd.adapters.redis.scripts import Script


class InboxLink:
    """To one server."""

    def __init__(self, address: Address, deadline: float, scripts: Sequence[Script] = ()) -> None:
        self._address = address
        self._deadline = deadline
        self._scripts = scripts
        self._opening = asyncio.Lock()
        self._remover: Commands | None = None

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Commands]:
        """A connection that may stand still; raises Unavailable or SettingsError."""
        listener = Commands(self._address, self._deadline, self._scripts)
        await listener.open()
        try:
            yield listener
        finally:
            await listener.close()

    async def do(self, *command: Any) -> Any:
        """The answer to a command; raises the same."""
        async with self._opening:
            if self._remover is None:
                remover = Commands(self._address, self._deadline, ())
                await remover.open()
                self._remover = remover
        return await self._remover.do(*command)

    async def close(self) -> None:
        """Let go of what removes."""
        remover, self._remover = self._remover, None
        if remover is not None:
            await remover.close()
