"""The usual way: uvicorn, sse-starlette and an `asyncio.Queue` for each client. No store is asked.

The generator of each client makes the JSON of its event, as most programs do it, and the examples of the library; or,
with `shared`, it is made once for all clients.
"""

import asyncio
import sys
from collections import defaultdict
from collections.abc import AsyncIterator

import uvicorn
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.sse.frames import position, token

#: As many events may wait for a client.
LONGEST_QUEUE = 100

SHARED = "shared" in sys.argv[2:]

clients: dict[str, set[asyncio.Queue[tuple[int, str]]]] = defaultdict(set)
last: dict[str, int] = defaultdict(int)


async def watch(request: Request) -> EventSourceResponse:
    return EventSourceResponse(events(request.path_params["job"]), ping=15, sep="\n")


async def events(job: str) -> AsyncIterator[ServerSentEvent]:
    waiting: asyncio.Queue[tuple[int, str]] = asyncio.Queue(LONGEST_QUEUE)
    clients[job].add(waiting)
    try:
        yield ServerSentEvent(retry=2000)
        while True:
            seq, told = await waiting.get()
            body = told if SHARED else token(seq, told)
            yield ServerSentEvent(body, event="token", id=position(seq), sep="\n")
    finally:
        clients[job].discard(waiting)


async def publish(request: Request) -> Response:
    job = request.path_params["job"]
    last[job] += 1
    text = (await request.body()).decode()
    told = token(last[job], text) if SHARED else text
    for waiting in clients[job]:
        if waiting.full():
            waiting.get_nowait()
        waiting.put_nowait((last[job], told))
    return Response(status_code=204)


app = Starlette(
    routes=[Route("/{job}/events", watch, methods=["GET"]), Route("/{job}/events", publish, methods=["POST"])]
)

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), loop="uvloop", http="httptools", log_level="warning", access_log=False)
