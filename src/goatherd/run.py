"""A tracked job, here or in any other process that knows its id."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import msgspec

from goatherd.engine.tracked import failure_of
from goatherd.errors import DefinitionError, SettingsError, UnknownJob, UnknownStep
from goatherd.events import Event, seen, standing_for
from goatherd.model import reply, stream_token
from goatherd.model.event import BEGINNING, Position
from goatherd.model.job_state import JobState, Status
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.reading import Reading
from goatherd.model.seconds import Seconds, seconds
from goatherd.model.task import TaskDefinition

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.step import Step

R_co = TypeVar("R_co", covariant=True)


class Run(Generic[R_co]):
    """A tracked job or a pipeline's run: `await run.result()` waits for its end, `run.events()` is what happens."""

    def __init__(self, app: Goatherd, id: str, of: TaskDefinition | PipelineDefinition | None = None) -> None:
        self._app = app
        self._id = id
        self._of = of

    def __repr__(self) -> str:
        return f"<Run {self._id} of {self._app.name}>"

    @property
    def app(self) -> Goatherd:
        """The app it belongs to."""
        return self._app

    @property
    def id(self) -> str:
        """The job's id."""
        return self._id

    async def events(self, after: str | None = None) -> AsyncGenerator[Event, None]:
        """Every event once and in order, past and live, until the end; raises UnknownJob.

        `after` is the id of an event that you have seen: those after it follow. Where events are no longer kept, a
        `Snapshot` stands for them.
        """
        place = BEGINNING if after is None else Position.parse(after)
        session = self._app.session()
        await session.tracked.become_known(self._id)
        follower = await (await session.subscriptions()).follow(self._id, place, every=True)
        try:
            async for told in follower:
                if isinstance(told, Reading):
                    for event in standing_for(told, session.clock.now()):
                        yield event
                else:
                    for entry in told:
                        yield seen(entry)
        finally:
            await follower.stop()

    async def text(self) -> str:
        """The text streamed so far by the newest attempt; raises UnknownJob."""
        return await self._app.session().tracked.text(self._id)

    async def status(self) -> Status:
        """In one word; raises UnknownJob."""
        session = self._app.session()
        try:
            return (await session.tracked.state(self._id)).status
        except UnknownJob:
            return (await session.runs.standing(self._id, await self._own_pipeline())).status

    async def result(self, timeout: Seconds | None = None) -> R_co:
        """Wait for the end; `JobFailed` if it failed, `TimeoutError` if you waited enough."""
        limit = None if timeout is None else seconds(timeout)
        session = self._app.session()
        async with asyncio.timeout(limit):
            try:
                state = await session.tracked.end(self._id)
            except UnknownJob:
                # The events of a run may be gone; what is on record of it is not.
                state = await session.runs.end(self._id, await self._own_pipeline())
        return cast(R_co, self._result_in(state))

    async def cancel(self) -> bool:
        """Ask it to stop: what waits is not started, what runs is cancelled; false if it had ended."""
        session, known = self._app.session(), self._of
        if await self._pipeline_name() is not None:
            tasks = known.tasks if isinstance(known, PipelineDefinition) else ()
            queues = {task.queue for task in tasks} or {queue.name for queue in self._app.contracts()}
            return await session.runs.cancel(self._id, queues)
        asked: list[str] = []
        if isinstance(known, TaskDefinition):
            asked = list(known.known_as)
        else:
            asked = [queue.name for queue in self._app.contracts()] + [
                each.pattern for each in self._app.listener_book.listened()
            ]
        return await session.tracked.cancel(self._id, asked)

    async def retry_step(self, step: Step[Any] | str) -> None:
        """Of a pipeline's run: try failed work of a step again; what is done stays done.

        Raises UnknownStep, and UnknownJob if there is no such run.
        """
        _, name = await self._step_named(step)
        await self._app.session().runs.retry(self._id, [name])

    async def resume_from(self, step: Step[Any] | str) -> None:
        """Of a pipeline's run: forget a step and all that come after it, and do them again.

        Raises UnknownStep, and UnknownJob if there is no such run.
        """
        pipeline, name = await self._step_named(step)
        await self._app.session().runs.resume_from(pipeline, self._id, name)

    def stream_token(self, subject: str, *, expires: Seconds = 900) -> str:
        """A signed pass for the browser of `subject` to watch this run for so many seconds."""
        secret = self._app.settings.secret
        if secret is None:
            missing = (
                f"secret is not set, so no token for job {self._id} can be signed; set GOATHERD_SECRET to a long "
                f"random text, the same for this program and for the gateway"
            )
            raise SettingsError([missing])
        until = self._app.clock.now() + seconds(expires)
        return stream_token.sign(secret, self._app.name, self._id, subject, until)

    def _result_in(self, state: JobState) -> Any:
        if state.result is None:
            raise failure_of(self._id, state)
        if self._of is None:
            return msgspec.json.decode(state.result)
        signature = self._of.signature if isinstance(self._of, TaskDefinition) else self._of.takes
        return reply.read(self._id, state.result, signature, bare=True)

    async def _step_named(self, step: Step[Any] | str) -> tuple[PipelineDefinition, str]:
        of = await self._pipeline_name()
        if of is None:
            raise UnknownJob(
                self._id,
                f"No run of a pipeline has the id {self._id!r}: the id is wrong, it is the job of a task, or its "
                f"records have expired.",
            )
        definition = self._definition(of)
        if definition is None:
            raise DefinitionError(
                f"The run {self._id!r} is of the pipeline {of!r}, which the app {self._app.name!r} does not have here; "
                f"ask for its steps in the program that declares them."
            )
        name = step if isinstance(step, str) else step.name
        pipeline = self._app.pipelines.get(of)
        theirs = isinstance(step, str) or (pipeline is not None and pipeline.has(step))
        if name not in definition.steps or not theirs:
            raise UnknownStep(of, name or "input", list(definition.steps))
        return definition, name

    async def _pipeline_name(self) -> str | None:
        """What it is a run of; None if it is the job of a task."""
        if isinstance(self._of, PipelineDefinition):
            return self._of.name
        app, task = self._app, self._of
        if (task is not None and task.name not in app.ticks) or not (app.pipelines or app.ticks):
            return None
        # A scheduled task has both: jobs that somebody sent, and runs of its ticks.
        summary = await self._app.session().runs.knows(self._id)
        return None if summary is None else summary.pipeline

    async def _own_pipeline(self) -> PipelineDefinition | None:
        """What it is a run of, if that is known here."""
        return self._definition(await self._pipeline_name() or "")

    def _definition(self, name: str) -> PipelineDefinition | None:
        """The pipeline of that name, or that of a scheduled task."""
        pipeline, tick = self._app.pipelines.get(name), self._app.ticks.get(name)
        if pipeline is not None:
            return pipeline.definition
        return None if tick is None else tick.pipeline
