"""Goatherd: the real gateway process, on a private Redis."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Promise
from benchmarks.sse.appending import appending
from benchmarks.sse.contender import KEEPS, Feed, Gateway
from benchmarks.sse.goatherd_app import NAME
from goatherd.model.settings import Settings
from goatherd.model.stream_token import sign
from scripts.servers.redis import Redis, ensure_redis

SECRET = "a secret for the benchmark alone"
#: The file in a room that says where the events of the measurement are.
ADDRESS = "events.url"
#: Seconds for which clients may watch.
VALID_FOR = 3600


@dataclass(frozen=True, kw_only=True)
class GoatherdGateway:
    """`goatherd gateway` with one kind of store."""

    label: str
    on_redis: bool
    package: str = "goatherd"
    promise: Promise = KEEPS

    def store(self, room: Path) -> AbstractContextManager[None]:
        if self.on_redis:
            return _redis(room)
        (room / ADDRESS).write_text(f"sqlite:///{room}/events.db", encoding="utf-8")
        return nullcontext()

    def command(self, room: Path, port: int) -> Sequence[str]:
        return [sys.executable, "-m", "goatherd", "gateway", "benchmarks.sse.goatherd_app:app", "--port", str(port)]

    def environment(self, room: Path) -> Mapping[str, str]:
        return {
            "GOATHERD_BROKER_URL": f"sqlite:///{room}/jobs.db",
            "GOATHERD_EVENTS_URL": _url(room),
            "GOATHERD_SECRET": SECRET,
            # All clients here are one and the same subject.
            "GOATHERD_GATEWAY_CONNECTIONS_EACH": "20000",
            "GOATHERD_GATEWAY_CONNECTIONS": "20000",
        }

    def path(self, job: str) -> str:
        token = sign(SECRET, NAME, job, "bench", time.time() + VALID_FOR)
        return f"/api/v1/{NAME}/{job}/events?token={token}"

    def feeding(self, room: Path, port: int) -> AbstractAsyncContextManager[Feed]:
        settings = Settings(broker_url=f"sqlite:///{room}/jobs.db", default_queue=NAME, app=NAME, events_url=_url(room))
        return appending(settings)


@contextmanager
def _redis(room: Path) -> Iterator[None]:
    ensure_redis()
    with Redis(room / "redis") as server:
        (room / ADDRESS).write_text(server.url, encoding="utf-8")
        yield


def _url(room: Path) -> str:
    return (room / ADDRESS).read_text(encoding="utf-8")


CONTENDER: Gateway = GoatherdGateway(label="goatherd gateway, Redis", on_redis=True)
