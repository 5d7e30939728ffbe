"""An app with lanes at work, whose store of lanes the test can take away."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from goatherd import Goatherd
from goatherd.errors import Unavailable
from goatherd.model.lane import Exchange, Exchanged, Hold, LaneItem, LaneState, Placement
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.testing.lane_passage import LanePassage
from goatherd.wiring import OpenLanes, Ports, open_ports
from tests.unit.engine.stage import Notes, Stage, at_work


class Road(LanePassage):
    """The way to the lanes, which can be closed."""

    notes: Notes
    closed = False

    async def enqueue(self, sender: str, number: int, items: Sequence[LaneItem]) -> Sequence[Placement]:
        self._check("enqueue")
        return await super().enqueue(sender, number, items)

    async def exchange(self, exchange: Exchange) -> Exchanged:
        self._check("exchange")
        answer = await super().exchange(exchange)
        for settlement in exchange.settled:
            self.notes(type(settlement).__name__)
        return answer

    async def beat(self, holds: Sequence[Hold], lease: float) -> Sequence[bool]:
        self._check("beat")
        return await super().beat(holds, lease)

    def _check(self, what: str) -> None:
        if self.closed:
            self.notes(f"no {what}")
            raise Unavailable("the road is closed")


class LaneStage:
    """One worker of an app with lanes."""

    def __init__(self, app: Goatherd) -> None:
        self.app = app
        self.notes = Notes()
        self.stage: Stage
        self.road: Road
        app.opener = self._open

    async def saw(self, what: str, times: int = 1) -> None:
        """Return when so many settlements of a kind, or refusals, were seen."""
        await self.notes.saw(what, times)

    async def lanes(self) -> Sequence[LaneState]:
        """All lanes that there are."""
        return await (await self.app.session().lanes()).operations.find()

    async def emptied(self) -> None:
        """Return when there is no lane any more."""
        async with asyncio.timeout(20):
            while await self.lanes():
                await asyncio.sleep(0.005)

    async def unblock(self, key: str) -> None:
        """Take a lane from its worker, and let the worker notice."""
        await (await self.app.session().lanes()).operations.unblock(key)
        work: Any = self.stage.worker
        await work._flows.lanes.source.beat()

    async def _open(self, settings: Settings, clock: Clock) -> Ports:
        ports = await open_ports(settings, clock)

        async def open_lanes() -> OpenLanes:
            opened = await ports.open_lanes()
            self.road = Road(opened.lanes)
            self.road.notes = self.notes
            return replace(opened, lanes=self.road)

        return replace(ports, open_lanes=open_lanes)


@asynccontextmanager
async def on_lanes(app: Goatherd, **share: Any) -> AsyncIterator[LaneStage]:
    """Open the app and work; at the end stop in order."""
    lane_stage = LaneStage(app)
    async with at_work(app, **share) as lane_stage.stage:
        yield lane_stage
