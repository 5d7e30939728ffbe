"""The body of a request, read at once: who decides about access has to see it before who answers."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from goatherd.errors import GoatherdError
from goatherd.web.asgi import Receive

#: Seconds within which a client must have sent it.
DEADLINE = 20.0


class TooLarge(GoatherdError):
    """The body is larger than any that is of use here."""


class BadText(GoatherdError):
    """A character that no name has: no store would take it."""

    def __init__(self) -> None:
        super().__init__("The character NUL is in no name and in no text.")


class Gone(GoatherdError):
    """The client hung up, or was too slow."""


async def read_body(receive: Receive, most: int) -> bytes:
    """All of it; raises TooLarge or Gone."""
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(DEADLINE):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Gone("The client hung up.")
                pieces.append(message.get("body", b""))
                size += len(pieces[-1])
                if size > most:
                    raise TooLarge(f"The request is larger than {most} bytes.")
                if not message.get("more_body", False):
                    return b"".join(pieces)
    except TimeoutError as error:
        raise Gone(f"The request did not come within {DEADLINE:g} s.") from error


def replay(body: bytes, receive: Receive) -> Receive:
    """As if it had not been read yet."""
    waiting = [body]

    async def again() -> MutableMapping[str, Any]:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again
