"""Replacements that stop where a test wants them to, as if whoever applies them had been killed there."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.model.settings import Settings
from goatherd.model.stand_in import REPLACEMENTS_MARK, pause_mark_of, senders_mark_of, stand_in_of
from goatherd.ports.plumbing import Plumbing
from goatherd.wiring import open_plumbing
from scripts.servers.addresses import management

#: Seconds within which consumers must have left a queue that is paused.
PATIENCE = 60.0


@asynccontextmanager
async def surgery(url: str) -> AsyncIterator["Surgery"]:
    settings = Settings(broker_url=url, app="surgeon", default_queue="surgeon", management_url=management().url)
    async with open_plumbing(settings) as plumbing:
        yield Surgery(plumbing)


@dataclass(frozen=True)
class Surgery:
    """On one virtual host."""

    plumbing: Plumbing

    async def take_queue(self, name: str, *, mark: bool = True) -> "QueueAway":
        """Until there is none, and its stand-in gets what comes in; without a mark nobody is asked to leave it."""
        live = (await self.plumbing.survey(Blueprint())).blueprint
        queue = live.queue(name)
        assert queue is not None, f"there is no queue {name!r}"
        ways = [each for each in live.bindings if (each.destination_type, each.destination) == ("queue", name)]
        aside = stand_in_of(name)
        graves = {key: value for key, value in queue.arguments.items() if key.startswith("x-dead-letter-exchange")}
        await self.plumbing.make_queue(QueueSpec(name=aside, type=queue.type, arguments=graves))
        if mark:
            await self.plumbing.make_queue(QueueSpec(name=pause_mark_of(name), arguments=dict(REPLACEMENTS_MARK)))
            await self._deserted(name)
            await self.plumbing.make_queue(QueueSpec(name=senders_mark_of(name), arguments=dict(REPLACEMENTS_MARK)))
        for way in ways:
            await self.plumbing.bind(replace(way, destination=aside))
        for way in ways:
            await self.plumbing.unbind(way)
        if mark:
            await self.plumbing.move(name, aside, lambda _moved: None)
        await self.plumbing.drop_queue(name, though_full=True)
        return QueueAway(self.plumbing, queue, ways)

    async def take_exchange(self, name: str) -> "ExchangeAway":
        """Until there is none, and its stand-in keeps its bindings."""
        live = (await self.plumbing.survey(Blueprint())).blueprint
        exchange = live.exchange(name)
        assert exchange is not None, f"there is no exchange {name!r}"
        ways = [each for each in live.bindings if each.source == name]
        await self.plumbing.make_exchange(replace(exchange, name=stand_in_of(name)))
        for way in ways:
            await self.plumbing.bind(replace(way, source=stand_in_of(name)))
        await self.plumbing.drop_exchange(name)
        return ExchangeAway(self.plumbing, exchange, ways)

    async def _deserted(self, queue: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while (crowd := await self.plumbing.crowd(queue)) is not None and (crowd.consumers or crowd.held):
                await asyncio.sleep(0.05)


@dataclass(frozen=True)
class QueueAway:
    """A queue that is not there."""

    plumbing: Plumbing
    queue: QueueSpec
    ways: Sequence[BindingSpec]

    async def put_back(self, **arguments: str | int) -> None:
        """With other arguments; whoever waits for it goes on before all is moved."""
        name, aside = self.queue.name, stand_in_of(self.queue.name)
        await self.plumbing.make_queue(replace(self.queue, arguments={**self.queue.arguments, **arguments}))
        for way in self.ways:
            await self.plumbing.bind(way)
        for way in self.ways:
            await self.plumbing.unbind(replace(way, destination=aside))
        for mark in (senders_mark_of(name), pause_mark_of(name)):
            await self.plumbing.drop_queue(mark, though_full=True)
        await self.plumbing.move(aside, name, lambda _moved: None)
        assert await self.plumbing.drop_queue(aside)


@dataclass(frozen=True)
class ExchangeAway:
    """An exchange that is not there, or leads nowhere."""

    plumbing: Plumbing
    exchange: ExchangeSpec
    ways: Sequence[BindingSpec]

    async def make(self) -> None:
        """It is there, and nothing is bound to it."""
        await self.plumbing.make_exchange(self.exchange)

    async def put_back(self) -> None:
        """As it was."""
        await self.make()
        for way in self.ways:
            await self.plumbing.bind(way)
        await self.plumbing.drop_exchange(stand_in_of(self.exchange.name))
