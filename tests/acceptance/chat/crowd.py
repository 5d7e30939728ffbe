"""A crowd that asks all at once and watches every answer: is every text right, and how late does a word come?

By hand, on servers or on a file:
    python -m tests.acceptance.chat.crowd [--servers] [--answers 300] [--tokens 200] [--pause 0.1]
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import msgspec

from examples.chat.chat import Chat
from examples.running.programs import Program
from examples.running.servers import private_servers

#: Seconds for all of it.
PATIENCE = 240.0


class Data(msgspec.Struct):
    """What the crowd reads of an event."""

    content: str = ""
    accumulated: str = ""
    result: Any = None


@dataclass
class Answer:
    """One answer as one of the crowd saw it."""

    text: str = ""
    result: str = ""
    #: Seconds from each word's writing to its arrival.
    delays: list[float] = field(default_factory=list)

    def is_right(self, tokens: int) -> bool:
        """Every word once and in order, and the same in the result."""
        numbers = [word.partition(":")[0] for word in self.text.split()]
        return numbers == [str(number) for number in range(tokens)] and self.text == self.result

    def take(self, event: bytes, data: bytes) -> bool:
        """Read one event; true for the last."""
        told = msgspec.json.decode(data, type=Data)
        now = time.monotonic_ns()
        match event:
            case b"token":
                self.text += told.content
                self.delays += [(now - int(word.partition(":")[2])) / 1e9 for word in told.content.split()]
            case b"token_recovery":
                self.text = told.accumulated
            case b"done":
                self.result = told.result["text"]
                return True
            case b"error":
                raise AssertionError(data.decode())
        return False


async def watch(accepted: dict[str, str]) -> Answer:
    """Read an answer from its first event to its last."""
    parts = urlsplit(accepted["stream_url"])
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=2**20)
    head = f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {accepted['stream_token']}\r\n"
    writer.write(f"{head}Last-Event-ID: earliest\r\n\r\n".encode())
    status = await reader.readuntil(b"\r\n\r\n")
    assert status.startswith(b"HTTP/1.1 200"), status.decode()
    answer = Answer()
    try:
        event = b""
        # The lengths of chunks come between the lines of events, and have no colon.
        async for line in reader:
            name, _, value = line.rstrip().partition(b": ")
            if name == b"event":
                event = value
            elif name == b"data" and answer.take(event, value):
                return answer
    finally:
        writer.close()
    raise AssertionError("the stream ended before the answer")


async def ask_and_watch(url: str, answers: int) -> list[Answer]:
    """Everybody asks, and watches."""
    async with httpx2.AsyncClient(base_url=url, timeout=PATIENCE) as client:

        async def one(number: int) -> Answer:
            asked = await client.post(f"/api/v1/chat/crowd-{number}/messages", json={"message": "What is a lane?"})
            asked.raise_for_status()
            return await watch(asked.json())

        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*(one(number) for number in range(answers)))


@dataclass(frozen=True)
class Crowd:
    """How many, how long, how fast."""

    answers: int = 300
    tokens: int = 200
    pause: float = 0.1

    def run(self, folder: Path, settings: Mapping[str, str]) -> list[Answer]:
        """Start one of each program, and let the crowd in."""
        numbers = {"CROWD_ANSWERS": self.answers, "CROWD_TOKENS": self.tokens, "CROWD_PAUSE": self.pause}
        own = {name: str(number) for name, number in numbers.items()}
        own |= {"CHAT_PORT": "0", "GOATHERD_CONCURRENCY": str(self.answers), "GOATHERD_GATEWAY_CONNECTIONS_EACH": "1"}
        chat = Chat(folder, {**own, **settings}, lambda _name, _line: None)
        target = ["-m", "goatherd", "worker", "tests.acceptance.chat.typist:chat"]
        worker = Program("worker", target, "Taking jobs from", chat.environment, chat.tell)
        chat.programs = (worker, *chat.programs[1:])
        with chat:
            return asyncio.run(ask_and_watch(chat.url, self.answers))


def told(answers: list[Answer], tokens: int) -> str:
    """The outcome in a line."""
    delays = sorted(delay for answer in answers for delay in answer.delays)
    right = sum(answer.is_right(tokens) for answer in answers)
    at = {share: 1000 * delays[min(int(share * len(delays)), len(delays) - 1)] for share in (0.5, 0.9, 0.99, 1)}
    times = ", ".join(f"p{100 * share:g} {milliseconds:.0f} ms" for share, milliseconds in at.items())
    return f"{right} of {len(answers)} answers right; word to client: {times}"


def main() -> None:
    """Run it by hand."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--servers", action="store_true")
    parser.add_argument("--answers", type=int, default=Crowd.answers)
    parser.add_argument("--tokens", type=int, default=Crowd.tokens)
    parser.add_argument("--pause", type=float, default=Crowd.pause)
    said = parser.parse_args()
    with ExitStack() as life:
        folder = Path(life.enter_context(tempfile.TemporaryDirectory(prefix="goatherd-crowd-")))
        servers: Mapping[str, str] = {}
        if said.servers:
            names = {"rabbitmq": "CHAT_RABBITMQ_URL", "redis": "REDIS_STREAMS_URL"}
            servers = life.enter_context(private_servers(folder, names))
        crowd = Crowd(said.answers, said.tokens, said.pause)
        outcome = told(crowd.run(folder, servers), said.tokens)
        sys.stdout.write(f"{outcome} ({os.cpu_count()} cores for everything)\n")


if __name__ == "__main__":
    main()
