"""What the suite of schedules stands on: an empty store, a clock that cases move, and those who declare and tick."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

import pytest
import pytest_asyncio

from goatherd.model.schedule import (
    Decision,
    Declared,
    Delay,
    DueSchedule,
    Firing,
    FiringEnd,
    NewFiring,
    Rate,
    ScheduleRule,
    ScheduleState,
)
from goatherd.ports.schedules import ScheduleOperations, Schedules
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.store import alive

#: How long a program that declares something is thought to live.
ALIVE = 60.0
NAME = "archive"
EVERY = ScheduleRule(timing=Rate(60.0))
OTHER = ScheduleRule(timing=Rate(7.0))
QUEUED = ScheduleRule(timing=Rate(60.0), overlap="queue")
BESIDE = ScheduleRule(timing=Rate(60.0), overlap="allow")
AFTER_END = ScheduleRule(timing=Delay(5.0))
JOB = b"\x00\xff a job"


class ScheduleStore(Schedules, ScheduleOperations, Protocol):
    """What an adapter of schedules satisfies."""


#: Opens one more client of the case's store; all are closed when the case ends.
OpenSchedules: TypeAlias = Callable[[], Awaitable[ScheduleStore]]


def fires(tick: float, id: str = "", *, state: Any = "due", missed: int = 0) -> NewFiring:
    """A tick that is due, if nothing else is said."""
    return NewFiring(tick=tick, id=id or f"run at {tick:.15g}", state=state, missed=missed)


def lost(tick: float, state: Any = "missed", missed: int = 0) -> NewFiring:
    """A tick that nobody works on."""
    return NewFiring(tick=tick, state=state, missed=missed)


def decided(due: DueSchedule, *firings: NewFiring, next_at: float | None = None) -> Decision:
    """What somebody decided by what he saw."""
    return Decision(name=due.name, rev=due.rev, firings=firings, next_at=next_at)


async def declare(schedules: Schedules, rule: ScheduleRule = EVERY, name: str = NAME, alive: float = ALIVE) -> None:
    """A program lives that has this schedule."""
    await schedules.declare([Declared(name=name, rule=rule)], alive)


async def due(schedules: Schedules, *names: str) -> list[DueSchedule]:
    """What is due of these names, and of what was set."""
    return list((await schedules.look(names or (NAME,), 100)).due)


async def one_due(schedules: Schedules, name: str = NAME) -> DueSchedule:
    """The only schedule that is due."""
    [found] = await due(schedules, name)
    return found


async def due_firings(schedules: Schedules, *names: str) -> list[Firing]:
    """Firings whose runs are to begin."""
    return list((await schedules.look(names or (NAME,), 100)).firings)


async def fire(schedules: Schedules, *firings: NewFiring, next_at: float | None = None, name: str = NAME) -> None:
    """Decide about the schedule that is due."""
    [heard] = await schedules.decide([decided(await one_due(schedules, name), *firings, next_at=next_at)])
    assert heard


async def end(schedules: Schedules, *ids: str, state: Any = "done") -> bool:
    """Runs have ended."""
    return await schedules.ended([FiringEnd(id=id, state=state) for id in ids])


async def state_of(schedules: ScheduleOperations, name: str = NAME) -> ScheduleState:
    """The schedule as people see it."""
    [found] = [each for each in await schedules.list() if each.name == name]
    return found


async def states(schedules: ScheduleOperations, name: str = NAME) -> list[str]:
    """What became of its firings, newest first."""
    return [firing.state for firing in await schedules.history(name, 100)]


class SchedulesCases:
    """What the parts of the suite have in common; see `SchedulesSuite`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty store, in whatever form `open` takes it."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty store, such as the path of a new file.")

    async def open(self, store: Any, now: Callable[[], float] | None = None) -> ScheduleStore:
        """Open one client, whose store has this clock instead of its own; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store, now)` that returns one more client.")

    async def kept(self, store: Any) -> Sequence[str]:
        """The tables in which the store keeps something."""
        raise NotImplementedError("Give the suite a method `kept(store)` that tells what is left.")

    @pytest.fixture
    def clock(self) -> StandingClock:
        """The time of every client that `open_schedules` opens."""
        return StandingClock()

    @pytest_asyncio.fixture
    async def open_schedules(self, store: Any, clock: StandingClock) -> AsyncIterator[OpenSchedules]:
        """Opens clients for a case; afterwards nothing of them may be left."""
        before = alive()
        clients: list[ScheduleStore] = []

        async def open_one() -> ScheduleStore:
            clients.append(await self.open(store, clock))
            return clients[-1]

        yield open_one
        for client in clients:
            await client.close()
        assert alive() - before == set(), "these tasks and threads outlived their clients"

    @pytest_asyncio.fixture
    async def schedules(self, open_schedules: OpenSchedules) -> ScheduleStore:
        """The client that most cases begin with."""
        return await open_schedules()

    @pytest_asyncio.fixture
    async def other(self, open_schedules: OpenSchedules) -> ScheduleStore:
        """A second client of the same store."""
        return await open_schedules()
