"""The life of a server that we run in, as it is told to an app of ours: open at its beginning, closed at its end."""

import logging
from collections.abc import Awaitable, Callable

from goatherd.errors import GoatherdError, Unavailable
from goatherd.web.asgi import Receive, Send


async def live(
    receive: Receive,
    send: Send,
    opening: Callable[[], Awaitable[None]],
    closing: Callable[[], Awaitable[None]],
    away: tuple[logging.Logger, str],
) -> None:
    """See it through. A store that is away keeps nobody from starting: it is opened for the first who comes later.

    `away` is who tells of it, and in which words.
    """
    await receive()
    try:
        await opening()
    except Unavailable as error:
        log, words = away
        log.warning("%s: %s", words, error)
    except GoatherdError as error:
        await send({"type": "lifespan.startup.failed", "message": str(error)})
        return
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await closing()
    await send({"type": "lifespan.shutdown.complete"})
