"""One life of the worker in a test: it begins, works when it is told to, and ends or dies."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from goatherd.engine.admission import Rules
from goatherd.engine.flows import Flows
from goatherd.engine.lane_work import LaneWork
from goatherd.engine.load import Load
from goatherd.engine.means import Means
from goatherd.engine.step_work import StepWork
from goatherd.engine.worker import Worker
from goatherd.model.ids import new_id
from goatherd.model.lane import LaneState
from goatherd.model.message import Delivery, Message
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.run_record import RunSummary
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue, QueueState
from goatherd.roles import lane_work, make_catalogue, step_work
from goatherd.session import Session
from goatherd.testing.attempts import MortalEmitters, MortalRunner, Onlooker, WatchedAttempts
from goatherd.testing.lane_life import LaneLife
from goatherd.testing.lifeline import Lifeline, LifelineCourier
from goatherd.testing.listener_life import ListenerLife
from goatherd.testing.step_life import StepLife
from goatherd.wiring import OpenLanes, OpenSteps, Ports, open_ports

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.testing.callers import Callers
    from goatherd.testing.faults import Faults
    from goatherd.testing.records import Records

#: Seconds between two looks at what is on its way into the store.
BREATH = 0.002
#: Seconds that the store may take to learn what a worker said before it died.
LAST_WORDS = 5.0


class Life:
    """A worker with a session of its own, as a process of its own would have."""

    def __init__(
        self,
        app: Goatherd,
        pipelines: Sequence[PipelineDefinition],
        ports: Ports,
        records: Records,
        callers: Callers,
        faults: Faults,
    ) -> None:
        self._app = app
        self._ports = ports
        self._lifeline = Lifeline(ports.broker)
        self._callers = callers
        self._onlooker = Onlooker(records, callers, faults, self._lifeline.cut)
        seen = replace(ports, broker=self._lifeline, open_lanes=self._open_lanes, open_steps=self._open_steps)
        self._session = Session(seen, app.clock, app.meter, app.settings, pipelines, app.contracts())
        self._session.ticks = frozenset(app.ticks)
        self._runner = MortalRunner(app, app.clock, app.arounds, app.tracer())
        self._runner.onlooker = self._onlooker
        self._worker: Worker | None = None
        self._listeners = ListenerLife(app, records, self._lifeline)
        self._queues: frozenset[str] = frozenset()
        self._sounding = Queue(name=f"{app.name}.soundings", format="plain")
        self._sounded = asyncio.Event()

    @classmethod
    async def begin(
        cls,
        app: Goatherd,
        pipelines: Sequence[PipelineDefinition],
        records: Records,
        callers: Callers,
        faults: Faults,
    ) -> Life:
        """Open the ports of a new worker."""
        ports = await open_ports(app.settings, app.clock)
        life = cls(app, pipelines, ports, records, callers, faults)
        try:
            await ports.broker.declare([*app.contracts(), life._sounding])
            await ports.broker.consume(life._sounding.name, 1, life._hear)
        except BaseException:
            await ports.close()
            raise
        return life

    @property
    def died(self) -> bool:
        """Whether a planned crash has happened."""
        return self._onlooker.died.is_set()

    @property
    def running(self) -> int:
        """How many attempts run now."""
        return self._worker.running if self._worker is not None else 0

    async def start(self, definitions: Sequence[TaskDefinition]) -> None:
        """Begin to take jobs of these tasks."""
        catalogue = make_catalogue(self._app, self._session, definitions)
        self._queues = catalogue.queues
        if not self._queues and not self._app.listener_book.listened():
            return
        settings, clock = self._app.settings, self._app.clock
        rules = Rules(deploy_grace=settings.deploy_grace, payload_limit=settings.payload_limit)
        means = Means(
            broker=self._lifeline,
            courier=LifelineCourier(self._ports.courier, self._lifeline),
            clock=clock,
            telemetry=self._session.telemetry,
            tracer=self._session.means.tracer,
            release=self._session.means.release,
        )
        emitters = MortalEmitters(self._session.events, clock, self._session.telemetry, self._session.habits)
        emitters.onlooker = self._onlooker
        lanes = await self._lane_work(sorted(self._queues) if catalogue.has_lanes else ())
        steps = await self._step_work(means)
        flows = Flows(lanes=lanes, steps=steps)
        source = flows.with_broker(self._lifeline)
        attempts = WatchedAttempts(means, catalogue, self._runner, rules, emitters, source)
        attempts.onlooker = self._onlooker
        prefetch = {queue: self._app.queue_named(queue).prefetch or settings.held_by_worker for queue in self._queues}
        if steps is not None and steps.answers:
            prefetch[steps.answers] = settings.held_by_worker
            self._queues |= {steps.answers}
        load = Load(prefetch=prefetch, concurrency=settings.concurrency, grace_period=0)
        self._worker = Worker(self._lifeline, attempts, clock, load, rules.most_deaths, flows)
        await self._worker.start()
        await self._listeners.find_more(self._worker)

    async def work_off(self) -> None:
        """Return when nothing is due any more, or when the worker has died."""
        while not self.died:
            await self._idle_or_dead()
            if not await self._at_rest():
                await asyncio.sleep(BREATH)
                continue
            await self._sound()
            if await self._at_rest() and not await self._late_one_goes_on():
                return

    async def moving_lanes(self) -> list[LaneState]:
        """The lanes in which something waits to be done now or is being done."""
        return await self._lanes.moving() if self._lanes is not None else []

    async def moving_runs(self) -> list[RunSummary]:
        """The runs of pipelines that have not ended."""
        return await self._steps.moving() if self._steps is not None else []

    async def moving(self) -> list[QueueState]:
        """The queues in which something waits to be done now or is being done."""
        states = await self._ports.operations.queues()
        ours = self._queues | self._listeners.queues
        return [state for state in states if state.name in ours and state.ready + (state.running or 0)]

    async def stop(self) -> None:
        """Take no more jobs until the next start."""
        worker, self._worker = self._worker, None
        for each in self._beside:
            each.stand_still()
        await self._listeners.stop()
        if worker is not None:
            await worker.stop()

    async def vanish(self) -> None:
        """Be gone without a farewell: what was not settled comes again, what was running with one death more."""
        await self._last_words_arrive()
        for each in self._beside:
            each.line.sever()
        await self._ports.vanish()
        await self.stop()
        for each in self._beside:
            await each.bury()
        await self._runner.close()
        await self._session.close()
        self._onlooker.records.lost()

    async def end(self) -> None:
        """Close everything in good order."""
        await self.stop()
        for each in self._beside:
            each.rest()
        await self._runner.close()
        await self._session.close()

    @property
    def _lanes(self) -> LaneLife | None:
        return self._onlooker.lanes

    @property
    def _steps(self) -> StepLife | None:
        return self._onlooker.steps

    @property
    def _beside(self) -> Sequence[LaneLife | StepLife]:
        """What the worker takes from beside its broker."""
        return [each for each in (self._lanes, self._steps) if each is not None]

    async def _open_lanes(self) -> OpenLanes:
        opened = await self._ports.open_lanes()
        lanes = self._onlooker.lanes = LaneLife(opened, self._app.clock)
        return replace(opened, lanes=lanes.line)

    async def _lane_work(self, queues: Sequence[str]) -> LaneWork | None:
        work = await lane_work(self._app.settings, self._session, queues)
        if self._lanes is not None:
            self._lanes.source = None if work is None else work.source
        return work

    async def _open_steps(self) -> OpenSteps:
        opened = await self._ports.open_steps()
        steps = self._onlooker.steps = StepLife(opened, self._session.story, self._app.clock)
        return replace(opened, steps=steps.line)

    async def _step_work(self, means: Means) -> StepWork | None:
        work = await step_work(self._app.settings, self._session, self._queues, means)
        if self._steps is not None:
            self._steps.begin(work)
        return work

    async def _at_rest(self) -> bool:
        if self._worker is not None and await self._listeners.find_more(self._worker):
            return False
        if await self.moving() or self._callers.on_their_way:
            return False
        for each in self._beside:
            if not await each.at_rest():
                return False
        return True

    async def _late_one_goes_on(self) -> bool:
        for each in self._beside:
            if await each.let_late_one_go():
                return True
        return False

    async def _idle_or_dead(self) -> None:
        if self._worker is None:
            return
        ends = [
            asyncio.create_task(self._worker.idle(), name="wait for the worker to be idle"),
            asyncio.create_task(_wait(self._onlooker.died), name="wait for the worker to die"),
        ]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()

    async def _sound(self) -> None:
        """Return when the store has been looked at once more: by then it has seen the clock and every message."""
        self._sounded.clear()
        await self._ports.broker.publish([Message(id=new_id(), queue=self._sounding.name, body=b"")])
        await self._sounded.wait()

    def _hear(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            self._ports.broker.ack(delivery)
        self._sounded.set()

    async def _last_words_arrive(self) -> None:
        """Acks travel in groups: those given before the death arrive, so that a test sees the same every time."""
        try:
            async with asyncio.timeout(LAST_WORDS):
                while True:
                    running = sum(state.running or 0 for state in await self.moving())
                    untold = any(each.has_more_to_say for each in self._beside)
                    if running == self._lifeline.unsettled and not untold:
                        return
                    await asyncio.sleep(BREATH)
        except TimeoutError:
            # Also a death: some jobs that were done come once more.
            return


async def _wait(event: asyncio.Event) -> None:
    await event.wait()
