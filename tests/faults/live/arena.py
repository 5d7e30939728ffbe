"""The whole event path as it runs in production: Redis, scribes, gateways, a router, and lines that can be cut."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from goatherd.model.stream_token import sign
from scripts.servers.ports import free_ports
from scripts.servers.proxy import Proxy
from scripts.servers.redis import Redis, ensure_redis
from tests.faults.live.http import NoStream, get
from tests.faults.live.lossy import LossyProxy
from tests.faults.live.processes import Router, ScribeProcess, Server
from tests.faults.live.scribe import Order, Report

SECRET = "known to the chaos run alone"
#: Attempts whose process is gone, or seems to be.
LOST = "lost"


@dataclass(frozen=True, kw_only=True)
class Build:
    """How a system is put together."""

    #: What opens a `Teller`, as `module:name`.
    teller: str = "tests.faults.live.telling:goatherd_teller"
    #: The gateway and the router: modules with arguments, where {port} is its port and {redis} the address.
    gateway: tuple[str, ...] = ("goatherd", "gateway", "tests.faults.live.app:app", "--port", "{port}")
    router: tuple[str, ...] = ("goatherd", "router", "tests.faults.live.app:app")
    signed: bool = True
    #: The safeguard that is taken out of every process.
    without: str = ""
    gateways: int = 2
    scribes: int = 3
    #: Whether events are in a file, and not in Redis.
    on_file: bool = False
    #: Whether watchers are called by a Redis of their own, which routers tell what to say.
    live_apart: bool = False
    #: Seconds of silence after which gateways look for themselves.
    look_after: float = 0.5
    #: Seconds for which tokens are collected.
    window: float = 0.005
    #: Seconds after which a router takes over what another had taken.
    takeover: float = 1.0
    settings: Mapping[str, str] = field(default_factory=dict)


class Arena:
    """One system; all of it is gone with the block."""

    def __init__(self, folder: Path, build: Build, chance: random.Random) -> None:
        self.folder = folder
        self.build = build
        self.chance = chance
        # With every write on the disk before it is answered. By default Redis may forget the last second or two when
        # it is killed; what a writer was told to be safe, and has left, nobody could write again.
        self.redis = Redis(folder / "redis", "--appendfsync", "always")
        #: The one that calls watchers.
        self.live_redis = Redis(folder / "live") if build.live_apart else self.redis
        self.gateways: list[Server] = []
        self.routers: list[Router] = []
        self.scribes: list[ScribeProcess] = []
        self.live: LossyProxy
        self.line: Proxy
        self._waiting: dict[tuple[str, int], tuple[asyncio.Future[str], ScribeProcess]] = {}
        self._begun: set[tuple[str, int]] = set()
        self._life = AsyncExitStack()

    @property
    def jobs(self) -> list[str]:
        """Those that are at work."""
        return [job for job, _ in self._waiting]

    @property
    def records_url(self) -> str:
        """Where the history is."""
        return f"sqlite:///{self.folder}/records.db"

    @property
    def events_url(self) -> str:
        """Where the events are, on a line that nobody cuts."""
        return f"sqlite:///{self.folder}/events.db" if self.build.on_file else self.redis.url

    @property
    def live_url(self) -> str | None:
        """The server that calls watchers, if it is another one."""
        return self.live_redis.url if self.build.live_apart else None

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._life.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._life.aclose()

    def url(self, job: str) -> tuple[int, str]:
        """A gateway's port, and where a job's events are there."""
        token = ""
        if self.build.signed:
            token = sign(SECRET, "chaos", job, "client", time.time() + 3600)
        return self.chance.choice(self.gateways).port, f"/api/v1/chaos/{job}/events?token={token}"

    async def perform(self, order: Order) -> str:
        """Have an attempt done; returns what became of it, or LOST when its process is gone or seems to be."""
        while not (well := [one for one in self.scribes if not one.frozen and one.process.returncode is None]):
            await asyncio.sleep(0.02)
        scribe = self.chance.choice(well)
        fate: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        key = (order.job, order.generation)
        self._waiting[key] = (fate, scribe)
        scribe.give(order)
        try:
            return await fate
        finally:
            del self._waiting[key]

    def give_up(self, scribe: ScribeProcess) -> None:
        """Others must do what this one had."""
        for fate, owner in list(self._waiting.values()):
            if owner is scribe and not fate.done():
                fate.set_result(LOST)

    def has_begun(self, job: str, generation: int) -> bool:
        """Whether an attempt is known to have begun."""
        return (job, generation) in self._begun

    def _reported(self, report: Report) -> None:
        if report.fate == "begun":
            self._begun.add((report.job, report.generation))
            return
        fate, _ = self._waiting.get((report.job, report.generation), (None, None))
        if fate is not None and not fate.done():
            fate.set_result(report.fate)

    async def _start(self) -> None:
        ensure_redis()
        for server in {self.redis, self.live_redis}:
            await asyncio.to_thread(server.start)
            self._life.callback(server.kill)
        self.live = await self._life.enter_async_context(LossyProxy(self.live_redis.port, self.chance))
        self.line = await self._life.enter_async_context(Proxy(self.redis.port))
        for number, port in enumerate(free_ports(self.build.gateways), 1):
            self.gateways.append(self._gateway(f"gateway-{number}", port))
        if self.build.router:
            url = self.events_url
            words = [word.format(redis=url) for word in self.build.router]
            settings = self._settings(url, self.live_redis.url)
            self.routers.append(Router("router", self._planted(words), settings, self.folder))
        for number in range(1, self.build.scribes + 1):
            self.scribes.append(self._scribe(f"scribe-{number}"))
        programs = [*self.gateways, *self.routers, *self.scribes]
        for program in programs:
            self._life.push_async_callback(_end, program.kill)
        await asyncio.gather(*(program.start() for program in programs))
        # A gateway may open its store for the first who asks, and the jobs here do not wait for that.
        await asyncio.gather(*(_warmed_up(gateway.port, self.url("nobody")[1]) for gateway in self.gateways))

    def _gateway(self, name: str, port: int) -> Server:
        live = f"redis://127.0.0.1:{self.live.port}/0"
        url = self.events_url if self.build.live_apart or self.build.on_file else live
        words = [word.format(port=port, redis=url) for word in self.build.gateway]
        return Server(name, port, self._planted(words), self._settings(url, live), self.folder)

    def _settings(self, url: str, live: str) -> dict[str, str]:
        return {
            **({"GOATHERD_LIVE_URL": live} if self.build.live_apart else {}),
            "GOATHERD_BROKER_URL": f"sqlite:///{self.folder}/jobs.db",
            "GOATHERD_RECORDS_URL": self.records_url,
            "GOATHERD_ROUTER_RECLAIM_IDLE": str(self.build.takeover),
            "GOATHERD_ROUTER_BLOCK": "1",
            "GOATHERD_EVENTS_URL": url,
            "GOATHERD_SECRET": SECRET,
            "GOATHERD_GATEWAY_STATE_TIMEOUT": str(self.build.look_after),
            "GOATHERD_GATEWAY_CONNECTIONS_EACH": "15000",
            "GOATHERD_GATEWAY_KEEPALIVE": "2",
            "GOATHERD_PUBLISH_DEADLINE": "3",
            **self.build.settings,
        }

    def _scribe(self, name: str) -> ScribeProcess:
        url = self.events_url if self.build.on_file else f"redis://127.0.0.1:{self.line.port}/0"
        words = ["tests.faults.live.scribe", self.build.teller, url, str(self.build.window)]
        settings = self._settings(url, self.live_redis.url)
        return ScribeProcess(name, self._planted(words), settings, self.folder, self._reported)

    def _planted(self, words: list[str]) -> list[str]:
        return ["tests.faults.live.planted", self.build.without, *words]


async def _warmed_up(port: int, path: str) -> None:
    try:
        async with await get(port, path):
            return
    except NoStream:
        return


async def _end(kill: Callable[[], object]) -> None:
    """Some may never have been started."""
    try:
        await kill()  # type: ignore[misc]
    except AssertionError:
        return
