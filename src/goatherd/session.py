"""An app opened on one event loop: its ports and what stands on them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import TypeAlias

from goatherd.engine.calls import Calls, Manners
from goatherd.engine.chores import Chore, Chores
from goatherd.engine.companions import Companions
from goatherd.engine.dispatch import Dispatch, Stores
from goatherd.engine.emitters import Emitters, Habits
from goatherd.engine.enqueue import Sender
from goatherd.engine.lane_letters import carry_letters
from goatherd.engine.lane_posting import LanePosting
from goatherd.engine.local_stores import warn_of_local_events, warn_of_local_lanes
from goatherd.engine.means import Means
from goatherd.engine.outbox_post import OutboxPost
from goatherd.engine.outbox_relay import OutboxRelay
from goatherd.engine.probes import Probes
from goatherd.engine.run_story import RunStory
from goatherd.engine.runs import Runs
from goatherd.engine.step_book import StepBook, answers_of
from goatherd.engine.subscriptions import Subscriptions
from goatherd.engine.ticker import Ticker
from goatherd.engine.topology.establish import establish
from goatherd.engine.tracked import Tracked
from goatherd.engine.uniqueness import Uniqueness
from goatherd.errors import Unavailable
from goatherd.model.definition import Definition
from goatherd.model.job import AnyJob
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.run_record import EndedRun
from goatherd.model.settings import Settings
from goatherd.model.tick_pipeline import firing_ends
from goatherd.model.topology import Queue
from goatherd.ports.clock import Clock
from goatherd.ports.events import Events
from goatherd.ports.lanes import Lanes
from goatherd.ports.telemetry import Telemetry
from goatherd.records import Records, open_records
from goatherd.wiring import (
    ControlRecords,
    OpenLanes,
    Ports,
    RecurringRecords,
    UserRecords,
    open_events,
    open_ports,
    open_tracer,
)

log_pipelines = logging.getLogger("goatherd.pipelines")

#: Seconds that a process has to tell workers of what it made ready before it ends.
LAST_WORDS = 5.0

#: How ports are opened; tests put something between the app and its ports.
Opener: TypeAlias = Callable[[Settings, Clock], Awaitable[Ports]]


class Session:
    """What verbs use while the app is open; shared by nested openings on one loop."""

    def __init__(
        self,
        ports: Ports,
        clock: Clock,
        telemetry: Telemetry,
        settings: Settings,
        pipelines: Iterable[PipelineDefinition] = (),
        queues: Sequence[Queue] = (),
    ) -> None:
        self.ports = ports
        self.clock = clock
        self.telemetry = telemetry
        self.users = 0
        self._settings = settings
        self._life = AsyncExitStack()
        self._opening = asyncio.Lock()
        #: What the desk keeps for as long as this is open.
        self.companions = Companions()
        self.opened_events: Events | None = None
        self._subscriptions: Subscriptions | None = None
        self.opened_lanes: OpenLanes | None = None
        self._posting: LanePosting | None = None
        #: Whether the stores answer.
        self.probes = Probes()
        #: What this process does for the app, and for all beside that.
        self.roles: set[str] = set()
        self.chores = Chores(self.events, self._life)
        self.habits = Habits(
            prefix=settings.prefix_of_events,
            window=settings.token_window,
            ttl=settings.event_ttl,
            redact=settings.redact,
        )
        stores = self.user_records = UserRecords(settings, clock)
        self.recurring = RecurringRecords(settings, clock)
        self.control_records = ControlRecords(settings, clock)
        #: What fires in this process, if it is a scheduler.
        self.ticker: Ticker | None = None
        shared = not settings.record_store_is_local
        unique = Uniqueness(settings.app, stores.uniques, clock, settings.publish_deadline, shared=shared)
        self.means = Means(
            broker=ports.broker, courier=ports.courier, clock=clock, telemetry=telemetry, release=unique.release,
            tracer=open_tracer(settings),
        )  # fmt: skip
        self.sender = Sender(self.means, self.posting)
        self.tracked = Tracked(self.events, self.sender, self.means, self.habits, partial(self.see_to, "ends"))
        if settings.broker_url.startswith("sqlite:"):
            # A job that is cancelled there while it waits is gone at once, and no worker lets go of its key.
            self.tracked.on_cancel = unique.cancelled
        self.relay = OutboxRelay(stores.outbox, OutboxPost(self.means, self.posting, self.tracked, self.sender.doors))
        at_once = ports.ignores_transactions
        opened = Stores(lanes=self._lane_store, ignore_transactions=at_once)
        self.dispatch = Dispatch(self.sender, self.tracked, unique, self.relay, opened)
        manners = Manners(
            deadline=settings.call_deadline,
            in_flight=settings.calls_in_flight,
            exclusive=settings.reply_queue == "exclusive",
        )
        self.calls = Calls(self.means, self.sender, self.tracked, manners)
        described = {queue.name for queue in queues if queue.contract}
        self.book = StepBook(pipelines, described, answers_of(settings.app))
        self._queues = [*queues, *self.book.answer_queues]
        self.story = RunStory(self.events, clock, telemetry)
        self.runs = Runs(self.records, self.events, self.means, self.dispatch, settings.redact)
        self.opened_records: Records | None = None
        #: Schedules whose firings are runs.
        self.ticks: frozenset[str] = frozenset()

    @classmethod
    async def open(  # noqa: PLR0913 - all that an app has declared
        cls,
        settings: Settings,
        clock: Clock,
        telemetry: Telemetry,
        queues: Iterable[Queue],
        opener: Opener = open_ports,
        *,
        keyed: bool = False,
        pipelines: Iterable[PipelineDefinition] = (),
        ticks: Sequence[PipelineDefinition] = (),
        definition: Definition | None = None,
    ) -> "Session":
        """Open the ports and make the queues that are missing; lanes too, if there are keyed tasks.

        `ticks` are what is done when schedules fire, which only workers and schedulers have to do with.
        """
        ports = await opener(settings, clock)
        opened: Ports | Session = ports
        try:
            await establish(ports.plumbing, definition, settings.declare)
            wanted = list(queues)
            await ports.broker.declare(wanted)
            own = list(pipelines)
            session = opened = cls(ports, clock, telemetry, settings, [*own, *ticks], wanted)
            session.ticks = frozenset(each.name for each in ticks)
            await session.calls.open()
            if keyed:
                await session.lanes()
            if own:
                await session.records()
        except BaseException:
            await opened.close()
            raise
        return session

    async def events(self) -> Events:
        """Where tracked jobs are noted; opened at first use."""
        async with self._opening:
            if self.opened_events is None:
                warn_of_local_events(self._settings)
                self.opened_events = await open_events(self._settings, self.clock)
                self._life.push_async_callback(self.opened_events.close)
            return self.opened_events

    async def lanes(self) -> OpenLanes:
        """Where keyed jobs wait in order; opened at first use."""
        async with self._opening:
            if self.opened_lanes is None:
                warn_of_local_lanes(self._settings)
                self.opened_lanes = await self.ports.open_lanes()
                self._life.push_async_callback(self.opened_lanes.lanes.close)
                self._posting = LanePosting(self.opened_lanes.lanes, self._settings.publish_deadline)
                self._life.push_async_callback(self._posting.close)
            return self.opened_lanes

    async def _lane_store(self) -> Lanes:
        return (await self.lanes()).lanes

    async def posting(self) -> LanePosting:
        """The way into the lanes."""
        if self._posting is None:
            await self.lanes()
        assert self._posting is not None, "it is opened with the lanes"
        return self._posting

    async def carry_letters(self) -> None:
        """Take jobs that left their lanes to the dead letters."""
        await carry_letters((await self.lanes()).lanes, self.ports.dead_letters, self.telemetry, self.means.release)

    async def records(self) -> Records:
        """Where runs of pipelines are on record, and who tells of them; opened at first use."""
        if self.opened_records is None:
            await self._open_events_first()
        async with self._opening:
            if self.opened_records is None:
                made = await open_records(
                    self._settings,
                    self.ports,
                    self.book,
                    self.means,
                    self.story,
                    lambda: self.ports.broker.declare(self._queues),
                )
                self._life.push_async_callback(made.steps.close)
                self._life.push_async_callback(made.conductor.stop, LAST_WORDS)
                made.conductor.endings.on_ends = self._note_ends_of_ticks
                made.conductor.start()
                self.opened_records = made
            return self.opened_records

    async def _note_ends_of_ticks(self, ended: Sequence[EndedRun]) -> None:
        ends = firing_ends(ended)
        if ends and await (await self.recurring.schedules()).schedules.ended(ends):
            self.tick_soon()

    def tick_soon(self) -> None:
        """Something may be due; elsewhere it is noticed a little later."""
        if self.ticker is not None:
            self.ticker.nudge()

    async def _open_events_first(self) -> None:
        """What is opened first is closed last: the ends of runs are told to the last moment."""
        try:
            await self.events()
        except Unavailable as error:
            log_pipelines.warning("Those who watch runs see nothing of them until their events can be kept: %s", error)

    async def subscriptions(self) -> Subscriptions:
        """All jobs that this process follows."""
        events = await self.events()
        if self._subscriptions is None:
            look_after, buffer = self._settings.gateway_state_timeout, self._settings.gateway_buffer
            self._subscriptions = Subscriptions(events, self.clock, look_after=look_after, buffer=buffer)
            self._life.push_async_callback(self._subscriptions.close)
        return self._subscriptions

    def emitters(self) -> Emitters:
        """For one worker: what writes down its attempts."""
        return Emitters(self._events_for_attempts, self.clock, self.telemetry, self.habits)

    async def send(self, job: AnyJob) -> str:
        """Send a job; one of a task that is always tracked is also noted, unless that cannot be done now."""
        if not job.definition.tracked:
            return await self.dispatch.send(job)
        insists = job.definition.answers is not None or self.dispatch.waits(job.options)
        return await (self.start(job) if insists else self.dispatch.send_tracked(job))

    async def send_many(self, jobs: Iterable[AnyJob]) -> list[str]:
        """Send jobs in order; those of tasks that are always tracked are noted when they start."""
        return await self.dispatch.send_many(jobs)

    async def call(self, job: AnyJob) -> object:
        """Ask and wait for the answer; raises JobFailed, CallTimeout, Unavailable or Refused."""
        if job.definition.answers is not None:
            await self.see_to("answers")
        return await self.calls.call(job)

    async def start(self, job: AnyJob) -> str:
        """Send a job that whoever knows its id can watch; gives that id."""
        await self.see_to("answers" if job.definition.answers is not None else "ends")
        return await self.dispatch.start(job)

    async def see_to(self, chore: Chore) -> None:
        """Let this process do a chore, if it does not yet; whoever tracks jobs does."""
        await self.chores.see_to(chore)

    async def _events_for_attempts(self) -> Events:
        await self.see_to("ends")
        return await self.events()

    async def close(self) -> None:
        """Let go of everything; whoever still waits for an answer is told."""
        try:
            await self.companions.close()
            await self.probes.close()
            await self.calls.close()
            await self.relay.close()
            await self._life.aclose()
        finally:
            await self.recurring.close()
            await self.control_records.close()
            await self.user_records.close()
            await self.ports.close()
