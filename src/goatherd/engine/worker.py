"""Take jobs and do them: so many at once, until told to stop."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Sequence

from goatherd.engine.admission import Admitted, deaths_of
from goatherd.engine.attempt import Attempts
from goatherd.engine.catalogue import Catalogue
from goatherd.engine.cutoff import stop
from goatherd.engine.flows import NO_FLOWS, Flows
from goatherd.engine.lane_entry import LaneEntry
from goatherd.engine.load import Load
from goatherd.engine.running import Running
from goatherd.engine.suspects import LONGEST_WAIT, Suspects
from goatherd.errors import Unavailable
from goatherd.model.formats import Work, failures_of
from goatherd.model.message import Delivery
from goatherd.model.process import RunningJob
from goatherd.model.verdict import Verdict, after_our_fault
from goatherd.ports.broker import Broker, Subscription
from goatherd.ports.clock import Clock

#: Seconds that cancelled code gets to clean up before the worker leaves without it.
LAST_WORDS = 5.0

log = logging.getLogger("goatherd.worker")


class Worker:
    """One process's worker. `start`, then `stop` once."""

    def __init__(
        self,
        broker: Broker,
        attempts: Attempts,
        clock: Clock,
        load: Load,
        most_deaths: int,
        flows: Flows = NO_FLOWS,
    ) -> None:
        self._broker = broker
        self._flows = flows
        self._source = flows.with_broker(broker)
        self._attempts = attempts
        self._clock = clock
        self._load = load
        self._backlog: deque[Delivery] = deque()
        self._suspects = Suspects(most_deaths)
        #: Jobs that wait because their task already runs as often as it may.
        self._held_up: dict[str, deque[tuple[Delivery, Admitted]]] = {}
        self._by_task: Counter[str] = Counter()
        self._running = Running(clock)
        self._subscriptions: list[Subscription] = []
        self._stopping = False
        self._hurry = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._nudge: asyncio.TimerHandle | None = None

    @property
    def queues(self) -> list[str]:
        """Where it takes from."""
        return list(self._load.prefetch)

    @property
    def catalogue(self) -> Catalogue:
        """What it can do."""
        return self._attempts.catalogue

    @property
    def held(self) -> int:
        """Jobs to hold from one more queue."""
        return self._load.held

    @property
    def concurrency(self) -> int:
        """How many attempts may run at once."""
        return self._load.concurrency

    @property
    def running(self) -> int:
        """How many attempts run now."""
        return len(self._running)

    def jobs(self) -> list[RunningJob]:
        """What it does now, the oldest first."""
        return self._running.jobs()

    async def start(self) -> None:
        """Begin to take jobs."""
        known_as = [*self._load.prefetch, *self._load.patterns]
        self._subscriptions.append(await self._attempts.hear_call_offs(known_as, self._call_off))
        for queue, prefetch in self._load.prefetch.items():
            self._subscriptions.append(await self._broker.consume(queue, prefetch, self.take_in))
        self._subscriptions += await self._flows.start(self._deliver, self._room, self._lose)

    async def idle(self) -> None:
        """Return when everything that was delivered is settled."""
        await self._idle.wait()

    async def stop(self) -> None:
        """Take nothing more, hand back what has not started, let the rest end within the grace period."""
        self._stopping = True
        if self._nudge is not None:
            self._nudge.cancel()
        subscriptions, self._subscriptions = self._subscriptions, []
        for outcome in await asyncio.gather(*(each.stop() for each in subscriptions), return_exceptions=True):
            if isinstance(outcome, BaseException):
                log.warning("A queue could not be told that no more is taken: %s", outcome)
        await self._hand_back_waiting()
        if self._running:
            log.info("Waiting up to %g s for %d running jobs to end", self._load.grace_period, len(self._running))
            await self._let_end(self._load.grace_period)
            self._attempts.leave()
            await self._running.cancel(LAST_WORDS)
        await self._attempts.finish(LAST_WORDS)
        await self._flows.close(LAST_WORDS)

    def hurry(self) -> None:
        """Cut the grace period short."""
        self._hurry.set()

    def take_in(self, deliveries: Sequence[Delivery]) -> None:
        """What comes by the broker; messages about steps of pipelines are only hints."""
        if others := self._flows.sort_out(deliveries):
            self._deliver(others)

    def _deliver(self, deliveries: Sequence[Delivery]) -> None:
        self._idle.clear()
        for delivery in deliveries:
            if deaths_of(delivery):
                self._suspects.add(delivery)
            else:
                self._backlog.append(delivery)
        self._fill()

    def _room(self) -> int:
        return self._load.concurrency - len(self._running)

    def _lose(self, delivery: Delivery) -> None:
        """Others have it now: stop what runs."""
        task = self._running.task_of(delivery)
        if task is not None:
            stop(task)

    def _call_off(self, job_id: str) -> None:
        self._attempts.call_off(job_id)
        self._flows.call_off(job_id)
        for task in self._running.calls(job_id):
            stop(task)

    def _fill(self) -> None:
        """Start what may start."""
        while not self._stopping and len(self._running) < self._load.concurrency:
            suspect = self._suspects.next(len(self._running), self._clock.now()) if self._suspects.present else None
            if suspect is not None:
                self._take(suspect)
            elif self._suspects.present and self._suspects.hold_up_others:
                self._look_again_later()
                return
            elif self._backlog:
                self._take(self._backlog.popleft())
            else:
                break
        if not (self._running or self._backlog or self._suspects.waiting or self._held_up):
            self._idle.set()

    def _look_again_later(self) -> None:
        """A suspect waits until the others have ended, but not for ever."""
        if self._nudge is not None:
            self._nudge.cancel()
        self._nudge = asyncio.get_running_loop().call_later(LONGEST_WAIT, self._fill)

    def _take(self, delivery: Delivery) -> None:
        try:
            admitted = self._attempts.admit(delivery)
        except Exception as error:
            log.exception("Job %s could not be read; this is a fault of Goatherd", delivery.message.id)
            failures = failures_of(delivery.message.headers)
            admitted = after_our_fault(error, failures, self._clock.now(), unread=True)
        if not isinstance(admitted, Admitted):
            self._running.begin(
                delivery, self._turn_away(delivery, admitted), f"settle {delivery.message.id}", job=None
            )
            return
        task = admitted.task
        entry = self._flows.entry_for(delivery, admitted)
        if entry is not None:
            self._running.begin(
                delivery, self._move(delivery, admitted, entry), f"place {delivery.message.id}", job=None
            )
            return
        if task.concurrency is not None and self._by_task[task.name] >= task.concurrency:
            self._held_up.setdefault(task.name, deque()).append((delivery, admitted))
        else:
            self._begin(delivery, admitted)

    def _begin(self, delivery: Delivery, admitted: Admitted) -> None:
        task = admitted.task
        if task.concurrency is not None:
            self._by_task[task.name] += 1
        name = f"{task.name}[{admitted.work.job_id}]"
        self._running.begin(delivery, self._make(delivery, admitted), name, job=admitted)

    async def _make(self, delivery: Delivery, admitted: Admitted) -> None:
        task = admitted.task
        try:
            await self._attempts.make(delivery, admitted)
        except Exception as error:
            log.exception("Job %s could not be worked on; this is a fault of Goatherd", delivery.message.id)
            verdict = after_our_fault(error, admitted.work.failures, self._clock.now(), unread=False)
            await self._settle(delivery, verdict, admitted.work)
        finally:
            # Said here and not by a callback of the asyncio task, which would cost every job a turn of the loop.
            self._ended(delivery, None if task.concurrency is None else task.name)

    async def _turn_away(self, delivery: Delivery, verdict: Verdict) -> None:
        try:
            await self._settle(delivery, verdict)
        finally:
            self._ended(delivery, None)

    async def _move(self, delivery: Delivery, admitted: Admitted, entry: LaneEntry) -> None:
        try:
            try:
                verdict = await entry.place(delivery, admitted)
            except Exception as error:
                log.exception("Job %s could not be put into its lane; this is a fault of Goatherd", delivery.message.id)
                verdict = after_our_fault(error, admitted.work.failures, self._clock.now(), unread=False)
            await self._settle(delivery, verdict, admitted.work)
        finally:
            self._ended(delivery, None)

    async def _settle(self, delivery: Delivery, verdict: Verdict, work: Work | None = None) -> None:
        try:
            await self._attempts.settle(delivery, verdict, work)
        except Exception:
            log.exception("Job %s was left unsettled; this is a fault of Goatherd", delivery.message.id)

    def _ended(self, delivery: Delivery, limited: str | None) -> None:
        self._running.pop(delivery, None)
        self._suspects.ended(delivery)
        if limited is not None:
            self._by_task[limited] -= 1
            self._let_next_in(limited)
        self._fill()
        self._flows.nudge()

    def _let_next_in(self, name: str) -> None:
        waiting = self._held_up.get(name)
        if not waiting or self._stopping:
            return
        delivery, admitted = waiting.popleft()
        if not waiting:
            del self._held_up[name]
        self._begin(delivery, admitted)

    async def _hand_back_waiting(self) -> None:
        waiting = [*self._backlog, *self._suspects.take_all()]
        waiting += [delivery for held_up in self._held_up.values() for delivery, _ in held_up]
        self._backlog.clear()
        self._held_up.clear()
        if not waiting:
            return
        try:
            # Lanes that are away are told again and again, but not before everything else has ended.
            async with asyncio.timeout(LAST_WORDS):
                await self._source.hand_back(waiting)
        except (Unavailable, TimeoutError) as error:
            log.warning("%d jobs were not handed back by name; others get them when this ends: %s", len(waiting), error)

    async def _let_end(self, seconds: float) -> None:
        hurried = asyncio.create_task(self._hurry.wait(), name="wait for a second signal")
        ended = asyncio.create_task(self._running.all_ended(), name="wait for the running jobs")
        await asyncio.wait([hurried, ended], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        ended.cancel()
