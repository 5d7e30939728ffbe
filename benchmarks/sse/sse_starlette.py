"""uvicorn with sse-starlette and a queue for each client."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Promise
from benchmarks.sse.contender import FORGETS, Feed, Gateway
from benchmarks.sse.posting import posting


@dataclass(frozen=True, kw_only=True)
class ForgetfulGateway:
    """A server program that makes events when it is asked to, and keeps none."""

    label: str
    package: str
    #: The server's module, which is given a port, and more arguments.
    module: str
    arguments: tuple[str, ...] = ()
    promise: Promise = FORGETS

    def store(self, room: Path) -> AbstractContextManager[None]:
        return nullcontext()

    def command(self, room: Path, port: int) -> Sequence[str]:
        return [sys.executable, "-m", self.module, str(port), *self.arguments]

    def environment(self, room: Path) -> Mapping[str, str]:
        return {}

    def path(self, job: str) -> str:
        return f"/{job}/events"

    def feeding(self, room: Path, port: int) -> AbstractAsyncContextManager[Feed]:
        return posting(port)


CONTENDER: Gateway = ForgetfulGateway(
    label="uvicorn, sse-starlette, queues", package="sse-starlette", module="benchmarks.sse.starlette_server"
)
