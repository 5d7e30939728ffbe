"""A database on loopback: REST, streams, and every way in which it can fail."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, Self

from examples.arcade.firebase_double.mischief import Mischief
from examples.arcade.firebase_double.tree import Node, Tree, chosen, shown
from examples.arcade.firebase_double.wire import Request, answer, chunk, read_request, stream_head


class Stream:
    """Somebody who is told of changes of one place."""

    def __init__(self, path: tuple[str, ...], writer: asyncio.StreamWriter) -> None:
        self.path = path
        self.writer = writer

    def tell(self, event: str, told: object) -> None:
        """Write an event; whoever does not read it in time keeps it waiting."""
        body = f"event: {event}\ndata: {json.dumps(told, ensure_ascii=False)}\n\n".encode()
        self.writer.write(chunk(body))

    def end(self) -> None:
        """End the answer in good order."""
        self.writer.write(b"0\r\n\r\n")
        self.writer.close()


class FirebaseDouble:
    """Serves one tree; with a secret, only to those who know it."""

    def __init__(
        self, *, secret: str | None = None, host: str = "127.0.0.1", port: int = 0, keep_alive: float = 30.0
    ) -> None:
        self.tree = Tree()
        self.secrets = set() if secret is None else {secret}
        #: What goes wrong, until it is told otherwise.
        self.mischief = Mischief()
        self.streams: list[Stream] = []
        self.requests: list[Request] = []
        self._host = host
        self._port = port
        self._keep_alive = keep_alive
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self._host, self._port, limit=2**20)
        self._port = int(self._server.sockets[0].getsockname()[1])
        self._keep(asyncio.create_task(self._give_signs_of_life(), name="firebase double"))
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{self._host}:{self._port}"

    # --- what a program would do with the official client ------------------------------------------

    def push(self, path: str, value: Node) -> str:
        """Add a child under a new key; gives the key."""
        key = self.tree.push_key()
        self.put(f"{path}/{key}", value)
        return key

    def put(self, path: str, value: Node) -> None:
        """Write something; None takes it away."""
        self._write(_parts(path), value)

    def patch(self, path: str, values: dict[str, Node]) -> None:
        """Write some children."""
        self._patch(_parts(path), values)

    def get(self, path: str) -> Node:
        """What is there."""
        return shown(self.tree.get(_parts(path)))

    # --- what goes wrong ----------------------------------------------------------------------------

    def cut(self) -> None:
        """Reset every connection."""
        self.streams.clear()
        for writer in list(self._writers):
            writer.transport.abort()

    def end_streams(self) -> None:
        """End every stream in good order, as a server does that is stopped."""
        streams, self.streams = self.streams, []
        for stream in streams:
            stream.end()

    def revoke(self, *, new_secret: str | None = None) -> None:
        """The token of those who listen is not valid any more."""
        if new_secret is not None:
            self.secrets = {new_secret}
        for stream in self.streams:
            stream.tell("auth_revoked", "credential is no longer valid")
        self.end_streams()

    def cancel(self) -> None:
        """The rules do not allow any more what is listened to."""
        for stream in self.streams:
            stream.tell("cancel", None)
        self.end_streams()

    # --- serving --------------------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._keep(task)
        self._writers.add(writer)
        try:
            while (request := await read_request(reader)) is not None:
                self.requests.append(request)
                if self.mischief.deaf:
                    await self.mischief.hearing.wait()
                said = self.mischief.said_instead(request) or self._refused(request)
                if said is None and request.method == "GET" and request.wants_stream:
                    self._begin_stream(request, writer)
                else:
                    writer.write(said or self._done(request))
                await writer.drain()
        except (OSError, asyncio.CancelledError):
            return
        finally:
            self._writers.discard(writer)
            self.streams = [stream for stream in self.streams if stream.writer is not writer]
            writer.close()

    def _refused(self, request: Request) -> bytes | None:
        if not self.secrets or request.token in self.secrets:
            return None
        return answer(401, b'{"error": "Permission denied"}')

    def _begin_stream(self, request: Request, writer: asyncio.StreamWriter) -> None:
        stream = Stream(request.path, writer)
        writer.write(stream_head())
        stream.tell("put", {"path": "/", "data": shown(self.tree.get(request.path))})
        self.streams.append(stream)

    def _done(self, request: Request) -> bytes:
        try:
            told = json.loads(request.body) if request.body else None
        except ValueError:
            return answer(
                400, b'{"error": "Invalid data; couldn\'t parse JSON object. Are you sending a JSON object?"}'
            )
        match request.method:
            case "GET":
                told = shown(chosen(self.tree.get(request.path), request.query))
            case "PUT":
                self._write(request.path, told)
            case "DELETE":
                told = None
                self._write(request.path, None)
            case "PATCH":
                self._patch(request.path, told or {})
            case "POST":
                key = self.tree.push_key()
                self._write((*request.path, key), told)
                told = {"name": key}
            case _:
                return answer(405, b'{"error": "Method not allowed"}')
        if request.query.get("print") == "silent":
            return answer(204)
        return answer(200, json.dumps(told, ensure_ascii=False).encode())

    def _write(self, path: Sequence[str], value: Node) -> None:
        self.tree.put(path, value)
        self._announce("put", tuple(path), value)

    def _patch(self, path: Sequence[str], values: dict[str, Any]) -> None:
        for key, value in values.items():
            self.tree.put((*path, *_parts(key)), value)
        self._announce("patch", tuple(path), values)

    def _announce(self, event: str, path: tuple[str, ...], value: Node) -> None:
        if self.mischief.forgets():
            return
        for stream in self.streams:
            depth = len(stream.path)
            if path[:depth] == stream.path:
                stream.tell(event, {"path": "/" + "/".join(path[depth:]), "data": value})
            elif stream.path[: len(path)] == path:
                # It was written above, so the whole place may be another.
                stream.tell("put", {"path": "/", "data": shown(self.tree.get(stream.path))})

    async def _give_signs_of_life(self) -> None:
        while True:
            await asyncio.sleep(self._keep_alive)
            for stream in self.streams if not self.mischief.deaf else ():
                stream.tell("keep-alive", None)

    def _keep(self, task: "asyncio.Task[None]") -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)
