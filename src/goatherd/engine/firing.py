"""What is done when a tick fires: a run of its task is begun or, for a schedule that was set, its job is sent."""

from collections.abc import Awaitable, Callable, Mapping

from goatherd.engine.runs import Runs
from goatherd.model.job import AnyJob, JobOptions
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.schedule import Firing
from goatherd.model.scheduled_job import job_of, read
from goatherd.model.task import TaskDefinition
from goatherd.model.tick_pipeline import NOTHING
from goatherd.model.trace_context import NO_CARRIER
from goatherd.ports.tracer import Tracer


class Firings:
    """Begins what has fired; satisfies `Begin`."""

    def __init__(
        self,
        runs: Runs,
        pipelines: Mapping[str, PipelineDefinition],
        find_task: Callable[[str, str], TaskDefinition | None],
        send: Callable[[AnyJob], Awaitable[object]],
        tracer: Tracer | None = None,
    ) -> None:
        self._runs = runs
        self._pipelines = pipelines
        #: By its name and, where it is on many, its queue.
        self._find_task = find_task
        self._send = send
        self._tracer = tracer

    async def __call__(self, firing: Firing) -> bool:
        if self._tracer is None:
            return await self._begin(firing)
        with self._tracer.firing(firing.schedule, firing.id):
            return await self._begin(firing)

    async def _begin(self, firing: Firing) -> bool:
        if firing.job is not None:
            await self._send_job(firing.id, firing.job)
            return True
        pipeline = self._pipelines.get(firing.schedule)
        if pipeline is None:
            raise LookupError(f"it has no task {firing.schedule!r}")
        await self._runs.begin(self._runs.planned(pipeline, NOTHING, JobOptions(id=firing.id)), even_unseen=True)
        return False

    async def _send_job(self, id: str, content: bytes) -> None:
        said = read(content)
        definition = self._find_task(said.task, said.queue)
        if definition is None:
            raise LookupError(f"it has no task {said.task!r} on queue {said.queue!r}")
        # It may be sent with those of other ticks.
        carrier = NO_CARRIER if self._tracer is None else self._tracer.carrier()
        await self._send(job_of(said, definition, id, carrier))
