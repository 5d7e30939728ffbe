"""Commands that are children of one place in a Firebase Realtime Database.

It is listened to by the REST streaming protocol. A stream can miss a child, so all are read now and then, too. Where
more are there than a stream may tell at once, they are read by pages before it is listened to again.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import aclosing

import msgspec

from goatherd.adapters.firebase.address import Address
from goatherd.adapters.firebase.ahead import Ahead
from goatherd.adapters.firebase.changes import Change, change_of, commands_in
from goatherd.adapters.firebase.event_stream import ServerEvent, events_in
from goatherd.adapters.firebase.requests import Overlong, Requests
from goatherd.adapters.firebase.tokens import Tokens
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.command import Command

#: Bytes that the database may say at once.
LARGEST = 64 * 1024 * 1024
#: Children that are read at once.
PAGE = 500
#: Seconds between two looks for children that the stream has missed.
READ_EVERY = 60.0
#: Seconds that a removal, or a page, may take in all.
PATIENCE = 60.0

log = logging.getLogger("goatherd.inbox")


class FirebaseCommands:
    """Satisfies `CommandSource`."""

    def __init__(self, address: Address, tokens: Tokens) -> None:
        self._address = address
        self._requests = Requests(address, tokens)

    async def commands(self) -> AsyncGenerator[Sequence[Command], None]:
        try:
            async with aclosing(self._heard()) as heard:
                async for commands in heard:
                    yield commands
                return
        except Overlong as error:
            log.warning("There is more in %s than is told at once; it is read in parts: %s", self._address, error)
        async with aclosing(self._pages()) as pages:
            async for page in pages:
                yield page

    async def remove(self, keys: Sequence[str]) -> None:
        if len(keys) == 1:
            await self._in_time(self._ask("DELETE", self._address.url(keys[0], print="silent")))
        elif keys:
            gone = msgspec.json.encode(dict.fromkeys(keys))
            await self._in_time(self._ask("PATCH", self._address.url(print="silent"), gone))

    async def close(self) -> None:
        await self._requests.close()

    # --- listening --------------------------------------------------------------------------------

    async def _heard(self) -> AsyncGenerator[Sequence[Command], None]:
        async with self._requests.open("GET", self._address.url(), stream=True) as response:
            events = events_in(self._requests.parts(response), LARGEST)
            async with aclosing(Ahead(events)) as ahead:
                read_at = _now() + READ_EVERY
                while True:
                    event = await ahead.next(read_at - _now())
                    if event is not None:
                        change = await self._said(event)
                        if change is None:
                            return
                        yield [*change.whole, *[one for key in change.in_part for one in await self._read(key)]]
                    elif ahead.ended:
                        raise Unavailable(f"{self._address} ended the stream", retry_after=0.1)
                    else:
                        async with aclosing(self._pages()) as pages:
                            async for page in pages:
                                yield page
                        read_at = _now() + READ_EVERY

    async def _said(self, event: ServerEvent) -> Change | None:
        """What an event says; None if the stream is to be opened anew."""
        if event.name == "auth_revoked":
            # The database ends what the last token began; a new stream gets a new one, or is refused.
            await self._requests.tokens.renew()
            return None
        if event.name == "cancel":
            told = f"{self._address} may not be read any more; allow it in the database's rules"
            raise SettingsError([told])
        if event.name not in ("put", "patch"):
            return Change([], [])
        try:
            return change_of(event.name, event.data)
        except msgspec.DecodeError as error:
            raise Unavailable(f"{self._address} says something that is no event: {error}") from error

    # --- reading ----------------------------------------------------------------------------------

    async def _read(self, key: str) -> list[Command]:
        body = (await self._in_time(self._ask("GET", self._address.url(key)))).strip()
        return [] if body in (b"null", b"") else [Command(key=key, body=body)]

    async def _pages(self) -> AsyncGenerator[Sequence[Command], None]:
        """All that are there, some at a time; what was given may be removed meanwhile."""
        last: str | None = None
        while True:
            query = {"orderBy": '"$key"', "limitToFirst": str(PAGE)}
            if last is not None:
                query["startAt"] = msgspec.json.encode(last).decode()
            page = commands_in((await self._in_time(self._ask("GET", self._address.url(**query)))).strip())
            yield [command for command in page if command.key != last]
            keys = [command.key for command in page]
            if len(page) < PAGE:
                return
            last = max(keys, key=_order)

    async def _ask(self, method: str, url: str, content: bytes | None = None) -> bytes:
        try:
            return await self._requests.ask(method, url, content, limit=LARGEST)
        except Overlong as error:
            raise SettingsError([f"{error}: some of its children are too large to be commands"]) from error

    async def _in_time(self, asking: Awaitable[bytes]) -> bytes:
        try:
            async with asyncio.timeout(PATIENCE):
                return await asking
        except TimeoutError as error:
            raise Unavailable(f"{self._address} did not answer within {PATIENCE:g} s") from error


def _order(key: str) -> tuple[int, int, str]:
    """How the database orders keys: those that look like numbers first."""
    return (0, int(key), "") if key.isascii() and key.removeprefix("-").isdecimal() else (1, 0, key)


def _now() -> float:
    return asyncio.get_running_loop().time()
