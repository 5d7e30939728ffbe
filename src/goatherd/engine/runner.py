"""Run a task's code where it belongs: on the event loop, in a thread, or in a process of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeAlias

from goatherd.engine.context import BlockingContext, Context, current
from goatherd.engine.enqueue import current_trace
from goatherd.engine.processes import Processes
from goatherd.engine.threads import Threads
from goatherd.model.formats import Work
from goatherd.model.signature import Arguments
from goatherd.model.task import TaskDefinition
from goatherd.ports.clock import Clock

Around: TypeAlias = Callable[[Context], AsyncIterator[None]]


class Runner:
    """Runs one task's code at a time for each caller; shared by all attempts of a worker."""

    def __init__(self, app: object, clock: Clock, around: Sequence[Around]) -> None:
        self._app = app
        self._clock = clock
        self._around = [asynccontextmanager(function) for function in around]
        self._threads = Threads()
        self._processes = Processes()

    async def run(self, task: TaskDefinition, work: Work, arguments: Arguments, until: float | None) -> object:
        """The task's result; raises what it raised. Cancelling this stops the code as far as Python can."""
        view = (self._app, task.name, task.queue, work, self._clock, until)
        context = Context(*view)
        current.set(context)
        current_trace.set(work.trace_id)
        if not self._around:
            return await self._place(task, work, arguments, context, view)
        async with AsyncExitStack() as wrapped:
            for hook in self._around:
                await wrapped.enter_async_context(hook(context))
            return await self._place(task, work, arguments, context, view)

    async def close(self) -> None:
        """End idle threads and child processes."""
        self._threads.close()
        await self._processes.close()

    async def _place(
        self, task: TaskDefinition, work: Work, arguments: Arguments, context: Context, view: tuple[Any, ...]
    ) -> object:
        positional, named = arguments
        if task.place == "loop":
            if task.wants == "context":
                return await task.function(context, *positional, **named)
            return await task.function(*positional, **named)
        blocking = BlockingContext(*view)
        if task.place == "process":
            return await self._processes.run(task, work, context.remaining)
        if task.wants == "blocking context":
            positional = (blocking, *positional)
        try:
            return await self._threads.run(lambda: task.function(*positional, **named))
        except asyncio.CancelledError:
            blocking.cancel()
            raise
