"""The app under test, in the hands of the test."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, overload

from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.model.dead_letter import DeadLetter, LetterFilter
from goatherd.model.envelope import moment
from goatherd.model.lane import LaneState, shown
from goatherd.model.pipeline import PipelineDefinition, StepDefinition
from goatherd.model.run_record import RunSummary
from goatherd.model.seconds import Seconds, seconds
from goatherd.model.task import TaskDefinition
from goatherd.step import FunctionStep, Step
from goatherd.testing.commands import Commands
from goatherd.testing.faults import Faults
from goatherd.testing.life import Life

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.inbox import Inbox
    from goatherd.task import Task
    from goatherd.testing.callers import Callers
    from goatherd.testing.clock import FakeClock
    from goatherd.testing.clockwork import Clockwork
    from goatherd.testing.records import JobRecord, Records

_P = ParamSpec("_P")
_R = TypeVar("_R")


class StillMoving(AssertionError):
    """The herd did not come to rest in time; says what still moves."""


class Herd:
    """The app under test."""

    def __init__(
        self, app: Goatherd, clock: FakeClock, records: Records, callers: Callers, clockwork: Clockwork
    ) -> None:
        self._app = app
        self._clock = clock
        self._records = records
        self._callers = callers
        callers.drain, callers.now = self.drain, clock.now
        self._faults = Faults()
        self._clockwork = clockwork
        self._commands = Commands(app)
        self._fakes: dict[str, Callable[..., Coroutine[Any, Any, Any]]] = {}
        self._dead: list[DeadLetter] = []
        self._life: Life | None = None
        self._outdated = False
        self._draining = asyncio.Lock()

    @property
    def now(self) -> datetime:
        """The time on the test's clock."""
        return moment(self._clock.now())

    async def drain(self, *, timeout: float = 10) -> None:
        """Work until nothing is due, with all that it causes: retries due, jobs sent by jobs, told dead letters."""
        async with self._draining:
            deadline = asyncio.get_running_loop().time() + timeout
            await self._clockwork.fire()
            while not await self._worked_off(deadline, timeout) or await self._clockwork.fire():
                continue

    async def advance(self, by: Seconds) -> None:
        """Move the clock; every delay, retry, tick, deadline and lease that falls due is worked off in order."""
        span = seconds(by)
        if span < 0:
            raise ValueError(f"The clock goes forward only; {by!r} is a time that has passed.")
        target = self._clock.now() + span
        await self.drain()
        while (upcoming := self._clock.next_moment()) is not None and upcoming <= target:
            self._clock.move_to(upcoming)
            await self.drain()
        self._clock.move_to(target)
        async with self._draining:
            await self._clockwork.keep_time()

    async def command(self, inbox: Inbox, command: Mapping[str, Any] | bytes, *, key: str | None = None) -> None:
        """Put a command into an inbox as another program would: it is on record, and its job is sent.

        What the source really has can be given as bytes, also what is no JSON. A command that comes under the same
        `key` once more is not done again.
        """
        await self._commands.put(inbox, command, key)

    def jobs(self, task: Task[..., _R]) -> list[JobRecord[_R]]:
        """All jobs of a task, in the order in which they were sent."""
        return self._records.of(self._name_of(task))

    @property
    def dead(self) -> list[DeadLetter]:
        """The dead letters that there were when the herd last came to rest."""
        return list(self._dead)

    @overload
    def fake(self, task: Task[_P, _R], function: Callable[_P, Coroutine[Any, Any, _R]], /) -> None: ...
    @overload
    def fake(self, task: Step[_R], function: Callable[..., Coroutine[Any, Any, _R]], /) -> None: ...
    def fake(self, task: Task[..., Any] | Step[Any], function: Callable[..., Coroutine[Any, Any, Any]], /) -> None:
        """Put a function in the place of a task or step for this test, also of a remote one."""
        if inspect.isfunction(function) and not inspect.iscoroutinefunction(function):
            what = "step" if isinstance(task, Step) else "task"
            raise TypeError(f"The fake of {what} {task.name!r} is a plain function; write `async def`.")
        self._fakes[self._name_of(task)] = function
        # The worker that lives knows its pipelines from its beginning.
        self._outdated = self._outdated or isinstance(task, Step) or task.name in self._app.ticks

    def crash(self, task: Task[..., Any] | Step[Any], *, at: Literal["start", "end"] = "end", times: int = 1) -> None:
        """Let the worker die before the code of a task or step, or after it and before the ack."""
        self._faults.plan_crash(self._name_of(task), at, times)

    def duplicate(self, task: Task[..., Any] | Step[Any], *, times: int = 1) -> None:
        """Deliver the next job, or the next message of a step, once more after it was acked."""
        self._faults.plan_duplicate(self._name_of(task), times)

    def lose_lease(self, task: Task[..., Any] | Step[Any], *, times: int = 1) -> None:
        """Let the lease of a step, a tick or a keyed task's lane run out while its code works.

        Another attempt does the job. When the herd has come to rest, the code of the first goes on, as that of a worker
        that stood still for too long: its effect must fail at `ctx.commit_with` or at your own check of `ctx.fence`.
        """
        name = self._name_of(task)
        if not isinstance(task, Step) and task.definition.lane is None and task.name not in self._app.ticks:
            raise ValueError(
                f"Task {task.name!r} has no key=, so it works without a lease that could run out; "
                f"crash() and duplicate() let its jobs come again."
            )
        self._faults.plan_loss(name, times)

    async def close(self) -> None:
        """End the worker."""
        await self._callers.close()
        await self._end_life()

    async def _end_life(self) -> None:
        life, self._life = self._life, None
        if life is not None:
            await life.end()

    async def _begin_life(self) -> Life:
        self._outdated = False
        return await Life.begin(self._app, self._pipelines(), self._records, self._callers, self._faults)

    async def _worked_off(self, deadline: float, timeout: float) -> bool:
        """Work with one worker until nothing is due; false if it died and another must go on."""
        if self._outdated:
            await self._end_life()
        life = self._life = self._life or await self._begin_life()
        try:
            async with asyncio.timeout_at(deadline):
                await life.start(self._definitions())
                await life.work_off()
        except TimeoutError:
            raise StillMoving(await self._what_moves(life, timeout)) from None
        finally:
            await self._come_to_a_halt(life)
        return not life.died

    async def _come_to_a_halt(self, life: Life) -> None:
        if life.died:
            self._life = None
            await life.vanish()
        else:
            await life.stop()
        await self._look_at_the_dead()

    async def _look_at_the_dead(self) -> None:
        office = DeadLetterOffice(self._app.session().ports.dead_letters, self._app.format_of)
        self._dead = [letter async for letter in office.find(LetterFilter())]
        self._records.found_dead(self._dead)

    async def _what_moves(self, life: Life, timeout: float) -> str:
        moving = self._records.running()
        if life.running and not moving:
            moving.append(f"{life.running} attempts are running")
        states = await life.moving()
        waiting = sum(state.ready + (state.running or 0) for state in states) - life.running
        if waiting > 0:
            queues = ", ".join(state.name for state in states)
            moving.append(f"{waiting} {'more job waits' if waiting == 1 else 'more jobs wait'} (queues: {queues})")
        moving += [_shown(lane) for lane in await life.moving_lanes()]
        moving += [_shown_run(run) for run in await life.moving_runs()]
        return (
            f"The herd did not come to rest within {timeout:g} s: {'; '.join(moving) or 'jobs come and go'}. A task "
            f"that waits for ever does that, or jobs that send each other again and again; if it only needs longer, "
            f"say drain(timeout=...)."
        )

    def _definitions(self) -> list[TaskDefinition]:
        return [self._with_fake(definition) for definition in self._app.definitions()]

    def _pipelines(self) -> list[PipelineDefinition]:
        return [
            replace(pipeline, steps={name: self._with_fake_step(step) for name, step in pipeline.steps.items()})
            for pipeline in (*self._app.pipeline_definitions(), *self._app.tick_pipelines())
        ]

    def _with_fake_step(self, step: StepDefinition) -> StepDefinition:
        faked = step.task.name in self._fakes
        return replace(step, task=self._with_fake(step.task), remote=step.remote and not faked)

    def _with_fake(self, task: TaskDefinition) -> TaskDefinition:
        fake = self._fakes.get(task.name)
        if fake is None:
            return task
        return replace(task, function=fake, place="loop", wants="nothing", remote=False)

    def _name_of(self, task: Task[..., Any] | Step[Any]) -> str:
        """What it is run under."""
        if not isinstance(task, Step):
            what = "Task"
        elif isinstance(task, FunctionStep):
            what = "Step"
        else:
            raise ValueError(f"{task!r} is what runs are given, and no step that is done.")
        if task.app is not self._app:
            raise ValueError(f"{what} {task.name!r} belongs to {task.app!r}, but this is a test of {self._app!r}.")
        return task.definition.name


def _shown(lane: LaneState) -> str:
    jobs = "1 job" if lane.length == 1 else f"{lane.length} jobs"
    return f"lane {shown(lane.key)} is {lane.condition} ({jobs} in it)"


def _shown_run(run: RunSummary) -> str:
    at = f" (at {', '.join(run.now_at)})" if run.now_at else ""
    return f"run {run.id} of {run.pipeline} has not ended{at}"
