"""What operators are told of a gateway: how many watch an app's jobs, and whether they can."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Literal

from goatherd.app import Goatherd
from goatherd.engine.health import DEADLINE
from goatherd.engine.probes import Probes, Question
from goatherd.model.health import Health
from goatherd.reporting import Part, StreamCounts, reporting
from goatherd.web.health_answers import unready
from goatherd.web.sources import Sources


class Showing:
    """Of one gateway on one loop."""

    def __init__(self, sources: Sources, role: Literal["gateway", "dashboard"] = "gateway") -> None:
        self._sources = sources
        self._role = role
        self._probes = Probes()
        self._counts: dict[str, StreamCounts] = {}
        self._holders: list[AsyncGenerator[None, None]] = []

    async def counts_of(self, app: Goatherd) -> StreamCounts:
        """What is counted of an app; from the first time on operators see that its events are streamed here."""
        counts = self._counts.get(app.name)
        if counts is None:
            counts = self._counts[app.name] = StreamCounts()
            # Held open by a generator, which the loop closes when it ends: a server that we are mounted in does not
            # tell us when that is.
            holder = _held(app, Part(role=self._role, streams=counts, health=lambda: self._health(app)))
            self._holders.append(holder)
            await anext(holder)
        return counts

    async def close(self) -> None:
        """Be seen no more."""
        while self._holders:
            await self._holders.pop().aclose()
        self._counts.clear()
        await self._probes.close()

    async def _health(self, app: Goatherd) -> Health:
        async def look() -> object:
            return await (await self._sources.of(app)).events.state("")

        [answer] = await self._probes.ask([Question(port="events", about=app.name, ask=look)], DEADLINE)
        if answer.trouble is not None:
            return unready(f"events: {answer.trouble}", {"events": "down"})
        now = datetime.now(UTC)
        return Health(ready=True, reasons=[], ports={"events": "up"}, queues={}, loop_alive=True, last_heartbeat=now)


async def _held(app: Goatherd, part: Part) -> AsyncGenerator[None, None]:
    async with reporting(app, part):
        yield
