"""The gateway: what the state says, then what is published, through a queue for each client."""

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import redis.asyncio
import uvicorn
from redis.exceptions import RedisError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from benchmarks.naive.names import channel_of, state_of, text_of, tokens_of

#: Events that may wait for a client; the oldest is dropped for another.
QUEUE = 100
#: Seconds of silence after which the state is looked at.
LOOK_AFTER = 1.0
#: Tokens that are looked at for one who comes back.
CATCH_UP = 100


class Hub:
    """One subscription for each job that is watched."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._queues: dict[str, set[asyncio.Queue[bytes]]] = defaultdict(set)
        self._listeners: dict[str, asyncio.Task[None]] = {}

    def subscribe(self, job: str) -> asyncio.Queue[bytes]:
        """What is published from about now on."""
        queue: asyncio.Queue[bytes] = asyncio.Queue(QUEUE)
        self._queues[job].add(queue)
        if job not in self._listeners:
            self._listeners[job] = asyncio.create_task(self._listen(job), name=f"listen to {job}")
        return queue

    def leave(self, job: str, queue: asyncio.Queue[bytes]) -> None:
        self._queues[job].discard(queue)
        if not self._queues[job]:
            del self._queues[job]
            self._listeners.pop(job).cancel()

    async def _listen(self, job: str) -> None:
        while True:
            try:
                async with self._server.pubsub(ignore_subscribe_messages=True) as pubsub:
                    await pubsub.subscribe(channel_of(job))
                    async for message in pubsub.listen():
                        for queue in self._queues[job]:
                            if queue.full():
                                queue.get_nowait()
                            queue.put_nowait(message["data"])
            except (RedisError, OSError):
                await asyncio.sleep(0.1)


def frame(event: dict[str, Any], *, live: bool = True) -> bytes:
    """An event on the wire; what is only the state has no id."""
    line = f"id: {event['attempt']}-{event['seq']}\n" if live else ""
    return f"{line}event: {event['stage']}\ndata: {json.dumps(event)}\n\n".encode()


async def stream(server: Any, hub: Hub, job: str, last_token: int) -> AsyncIterator[bytes]:
    """Everything that a client gets."""
    yield b"retry: 2000\n\n"
    last_seq = 0
    state = await _state(server, job)
    async for seq, told in _missed(server, job, last_token) if last_token else _so_far(server, job, state):
        last_seq = max(last_seq, seq)
        yield told
    queue = hub.subscribe(job)
    try:
        while state is None or state["stage"] != "done":
            try:
                async with asyncio.timeout(LOOK_AFTER):
                    event = json.loads(await queue.get())
            except TimeoutError:
                state = await _state(server, job)
                yield b'event: keepalive\ndata: {"type":"keepalive"}\n\n'
                continue
            if event["seq"] <= last_seq:
                continue
            last_seq = event["seq"]
            if event["stage"] == "done":
                state = event
                break
            yield frame(event)
        yield frame(state)
    finally:
        hub.leave(job, queue)


async def _state(server: Any, job: str) -> dict[str, Any] | None:
    found = await server.hget(state_of(job), "event")
    return None if found is None else json.loads(found)


async def _so_far(server: Any, job: str, state: dict[str, Any] | None) -> AsyncIterator[tuple[int, bytes]]:
    """For one who comes: the state and the text that was saved last."""
    saved = await server.hgetall(text_of(job))
    if state is not None and state["stage"] != "done":
        yield state["seq"], frame(state, live=False)
    if saved:
        told = {"accumulated": saved[b"accumulated"].decode(), "last_seq": int(saved[b"last_seq"])}
        yield told["last_seq"], b"event: token_recovery\ndata: " + json.dumps(told).encode() + b"\n\n"


async def _missed(server: Any, job: str, last_token: int) -> AsyncIterator[tuple[int, bytes]]:
    """For one who comes back: the tokens since then."""
    newest = await server.xrevrange(tokens_of(job), count=CATCH_UP)
    for _, fields in reversed(newest):
        event = json.loads(fields[b"event"])
        if event["seq"] > last_token:
            yield event["seq"], frame(event)


def make_app(url: str) -> Starlette:
    server = redis.asyncio.Redis.from_url(url)
    hubs: list[Hub] = []

    async def watch(request: Request) -> StreamingResponse:
        if not hubs:
            hubs.append(Hub(server))
        last_token = int(request.query_params.get("last_token_seq", 0))
        events = stream(server, hubs[0], request.path_params["job"], last_token)
        return StreamingResponse(events, media_type="text/event-stream")

    return Starlette(routes=[Route("/api/v1/chaos/{job}/events", watch)])


if __name__ == "__main__":
    uvicorn.run(make_app(sys.argv[2]), port=int(sys.argv[1]), log_level="warning", access_log=False)
