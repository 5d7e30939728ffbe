"""What the crash run puts to the test: lanes on any store, and the plain design."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import msgspec
import redis.asyncio

from benchmarks.naive.lanes_plain import PlainLanes
from goatherd import Goatherd
from goatherd.wiring import OpenLanes
from tests.faults.lanes.effects import EFFECTS, FileEffects, TableEffects
from tests.faults.lanes.judge import Job

APP, PLAIN_TASK = "tests.faults.lanes.flock:app", "tests.faults.lanes.plain_flock:tend"
#: Jobs that are sent in one go.
BATCH = 500


class LaneSystem:
    """Lanes, with effects in a file or, `with_lane`, in the database of the lanes; satisfies `System`."""

    def __init__(
        self, folder: Path, lanes_url: str, *, lease: float, concurrency: int, with_lane: bool = False
    ) -> None:
        broker_url = f"sqlite:///{folder}/jobs.db"
        self.command: Sequence[str] = ("-m", "goatherd", "worker", APP, "--concurrency", str(concurrency), "--json")
        self._with_lane = with_lane
        self._effects = lanes_url if with_lane else str(folder / "effects.db")
        self.environment: Mapping[str, str] = {
            "GOATHERD_BROKER_URL": broker_url, "GOATHERD_LANES_URL": lanes_url, "GOATHERD_LEASE": str(lease),
            EFFECTS: self._effects,
        }  # fmt: skip
        self._app = Goatherd("flock", broker_url=broker_url, lanes_url=lanes_url, lease=lease)
        self._tend = self._app.task(key="key", name="tend_with_lane" if with_lane else "tend")(tend)
        self._opened: OpenLanes

    async def __aenter__(self) -> Self:
        TableEffects.make(self._effects) if self._with_lane else FileEffects.make(Path(self._effects))
        await self._app.__aenter__()
        self._opened = await self._app.session().ports.open_lanes()
        return self

    async def send(self, made: Sequence[tuple[Job, float]]) -> None:
        jobs = [self._tend.job(*job, milliseconds) for job, milliseconds in made]
        for start in range(0, len(jobs), BATCH):
            await self._app.send_many(jobs[start : start + BATCH])

    async def ready(self) -> int:
        return len(await self._opened.operations.find(condition="ready", limit=1000))

    async def visit(self) -> int:
        """Let those be tried again that died too often, as bad luck has it."""
        helped = 0
        for lane in await self._opened.operations.find(condition="held", limit=1000):
            assert lane.burial is not None
            assert lane.burial.reason == "crashed", lane.burial
            helped += await self._opened.operations.retry(lane.key)
        return helped

    async def left(self) -> Sequence[str]:
        return [state.key for state in await self._opened.operations.find(limit=1000)]

    def effects(self) -> list[Job]:
        return TableEffects.read(self._effects) if self._with_lane else FileEffects.read(Path(self._effects))

    async def __aexit__(self, *_: object) -> None:
        await self._opened.lanes.close()
        await self._app.__aexit__(None, None, None)


class PlainSystem:
    """Lists and locks; satisfies `System`."""

    def __init__(self, folder: Path, url: str, *, lease: float, concurrency: int) -> None:
        self.command: Sequence[str] = (
            "-m",
            "benchmarks.naive.lanes_plain",
            url,
            str(concurrency),
            str(lease),
            PLAIN_TASK,
        )
        self._effects = folder / "effects.db"
        self.environment: Mapping[str, str] = {EFFECTS: str(self._effects)}
        self._server = redis.asyncio.Redis.from_url(url)
        self._lanes = PlainLanes(self._server, lease)

    async def __aenter__(self) -> Self:
        FileEffects.make(self._effects)
        return self

    async def send(self, made: Sequence[tuple[Job, float]]) -> None:
        for (key, number), milliseconds in made:
            await self._lanes.add(key, msgspec.json.encode((number, milliseconds)))

    async def ready(self) -> int:
        return await self._lanes.ready()

    async def visit(self) -> int:
        """Nobody can do anything."""
        return 0

    async def left(self) -> Sequence[str]:
        return list(await self._lanes.waiting())

    def effects(self) -> list[Job]:
        return FileEffects.read(self._effects)

    async def __aexit__(self, *_: object) -> None:
        await self._server.aclose()


async def tend(key: str, number: int, milliseconds: float) -> None:
    """Stands for the flock's task of this name."""
    raise NotImplementedError
