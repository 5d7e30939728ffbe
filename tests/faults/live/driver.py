"""Play jobs to clients while everything fails, and tally what the clients saw."""

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from goatherd.errors import Unavailable
from goatherd.model.admission import Append
from goatherd.model.event import Queued
from goatherd.model.ids import new_id
from goatherd.ports.events import Events
from tests.faults.live.arena import LOST, Arena, Build
from tests.faults.live.client import Client, Habit
from tests.faults.live.harm import Harm
from tests.faults.live.judge import Judge
from tests.faults.live.scribe import SOMETIMES, Order
from tests.faults.live.script import Script
from tests.faults.live.tally import Tally
from tests.faults.live.telling import goatherd_events
from tests.faults.live.view import View

#: What clients do, each as likely as it is often here.
HABITS = (
    Habit(),
    Habit(start="earliest"),
    Habit(breaks_off=10),
    Habit(start="earliest", breaks_off=6),
    Habit(start="earliest", breaks_off=15, cursor="query"),
    Habit(breaks_off=10, cursor="reload"),
    Habit(breaks_off=8, cursor="token"),
    Habit(rests=0.2),
    Habit(start="earliest", rests=0.1, breaks_off=20),
    Habit(start="earliest", polls=True),
)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much of everything."""

    jobs: int
    at_once: int = 10
    clients: int = 8
    length: tuple[int, int] = (20, 80)
    #: Seconds between two things that an attempt says, at most.
    pause: float = 0.1
    #: The part of all live messages that is lost, and that is told twice.
    lost: float = 0.0
    doubled: float = 0.0
    spare_ends: bool = False
    #: What else is done, one after the other, with pauses of so many seconds at most.
    harms: Sequence[Harm] = ()
    respite: float = 1.0
    habits: Sequence[Habit] = HABITS
    #: When the last client comes: 0 is before the first attempt begins, and 1 when it is about to end.
    latest: float = 1.2
    #: The part of jobs whose first attempt fails, and of those whose attempt is given away a second time.
    failing: float = 0.15
    redelivered: float = 0.15
    #: Seconds after the end of a job within which every client must have seen it.
    patience: float = 20.0

    def takes(self, script: Script) -> float:
        """Seconds that an attempt takes, on average."""
        return script.length * self.pause * SOMETIMES / 2


class Driver:
    """One run."""

    def __init__(self, arena: Arena, events: Events | None, plan: Plan) -> None:
        self._arena = arena
        self._events = events
        self._plan = plan
        self._chance = random.Random(arena.chance.random())
        self.tally = Tally()
        self._judge = Judge(arena, events, self.tally)
        self._ended: list[str] = []
        #: Attempts, also those that are taken for dead.
        self._working: set[asyncio.Task[str]] = set()

    async def run(self) -> Tally:
        arena, plan = self._arena, self._plan
        arena.live.lost, arena.live.doubled, arena.live.spare_ends = plan.lost, plan.doubled, plan.spare_ends
        began, places = time.monotonic(), asyncio.Semaphore(plan.at_once)

        async def play() -> None:
            async with places:
                await self._play()

        async with asyncio.TaskGroup() as group:
            over = asyncio.Event()
            group.create_task(self._harm(over), name="harm")
            playing = [group.create_task(play(), name="job") for _ in range(plan.jobs)]
            await asyncio.gather(*playing)
            over.set()
        for attempt in tuple(self._working):
            attempt.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)
        await self._judge.history(self._ended)
        self.tally.seconds = time.monotonic() - began
        self.tally.harm["live messages lost"] += arena.live.dropped
        self.tally.harm["live messages"] += arena.live.messages
        return self.tally

    async def _harm(self, over: asyncio.Event) -> None:
        """One thing after the other, each to its end: whoever is killed is started again."""
        while self._plan.harms and not over.is_set():
            harm = self._chance.choice(self._plan.harms)
            self.tally.harm[await harm(self._arena)] += 1
            try:
                async with asyncio.timeout(self._chance.random() * self._plan.respite):
                    await over.wait()
            except TimeoutError:
                continue

    async def _play(self) -> None:
        """One job, its attempts and its clients."""
        chance, plan = self._chance, self._plan
        script = Script(new_id(), chance.randint(*plan.length), chance.randint(2, 9))
        await self._queue(script.job)
        clients = [self._client(script) for _ in range(plan.clients)]
        # Some come before anything happens, some in the middle, some at the end.
        delays = [chance.random() * plan.takes(script) * plan.latest for _ in clients]
        following = [asyncio.create_task(_late(*each), name="client") for each in zip(clients, delays, strict=True)]
        if not plan.latest:
            await _all_in(clients, plan.patience)
        await self._attempts(script)
        _, hung = await asyncio.wait(following, timeout=plan.patience + max(delays))
        for task in hung:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)
        self._ended.append(script.job)
        await self._judge.sessions(script, clients, following)

    async def _attempts(self, script: Script) -> None:
        """Until one of them comes to the end."""
        chance, plan = self._chance, self._plan
        generation = attempt = 1
        fails_after = chance.randrange(1, script.length) if chance.random() < plan.failing else 0
        while True:
            order = Order(
                job=script.job, length=script.length, stage_every=script.stage_every, generation=generation,
                attempt=attempt, pause=plan.pause, fails_after=fails_after,
            )  # fmt: skip
            working = asyncio.create_task(self._arena.perform(order), name="attempt")
            self._working.add(working)
            working.add_done_callback(self._working.discard)
            if chance.random() < plan.redelivered:
                # The broker takes the worker for dead, and it is not: two attempts are made at the same time.
                await asyncio.wait([working], timeout=chance.random() * plan.takes(script))
                fate = working.result() if working.done() else LOST
                self.tally.harm["attempts given away twice"] += fate == LOST
            else:
                fate = await working
            if fate not in (LOST, "retrying"):
                return
            # Of two attempts with the same number the one that began later counts, so the first must have begun.
            again = self._arena.has_begun(script.job, generation) and chance.random() < 0.5
            generation += 1
            attempt += fate == "retrying" or not again
            fails_after = 0

    def _client(self, script: Script) -> Client:
        habit = self._chance.choice(self._plan.habits)
        return Client(View(script), habit, lambda: self._arena.url(script.job), random.Random(self._chance.random()))

    async def _queue(self, job: str) -> None:
        """As whoever starts a job does, for as long as it takes."""
        while self._events is not None:
            try:
                await self._events.append(job, Append(events=[Queued(attempt=0, at=time.time())]))
            except Unavailable:
                continue
            return


async def _all_in(clients: Sequence[Client], patience: float) -> None:
    async with asyncio.timeout(patience):
        for client in clients:
            await client.let_in.wait()


async def storm(folder: Path, build: Build, plan: Plan, *, seed: int) -> Tally:
    """One run from nothing to nothing."""
    async with AsyncExitStack() as life:
        arena = await life.enter_async_context(Arena(folder, build, random.Random(seed)))
        events: Events | None = None
        if build.signed:
            events = await life.enter_async_context(goatherd_events(arena.events_url, arena.live_url))
        return await Driver(arena, events, plan).run()


async def _late(client: Client, delay: float) -> View:
    await asyncio.sleep(delay)
    return await client.follow()
