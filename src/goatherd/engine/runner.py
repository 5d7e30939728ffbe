"""Run a task's code where it belongs: on the event loop, in a thread, or in a process of its own."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, TypeAlias

from goatherd.engine.admission import Admitted
from goatherd.engine.context import BlockingContext, Context, current
from goatherd.engine.emitter import Voice
from goatherd.engine.enqueue import current_trace
from goatherd.engine.processes import Child, Processes
from goatherd.engine.telling import FromThread
from goatherd.engine.threads import Threads
from goatherd.model.signature import Arguments
from goatherd.model.task import TaskDefinition
from goatherd.model.trace_context import NO_CARRIER
from goatherd.ports.clock import Clock
from goatherd.ports.tracer import Tracer

Around: TypeAlias = Callable[[Context], AsyncIterator[None]]


class Runner:
    """Runs one task's code at a time for each caller; shared by all attempts of a worker."""

    def __init__(self, app: object, clock: Clock, around: Sequence[Around], tracer: Tracer | None = None) -> None:
        self._app = app
        self._clock = clock
        self._around = [asynccontextmanager(function) for function in around]
        self._tracer = tracer
        self._threads = Threads()
        self._processes = Processes()

    def child_for(self, task: TaskDefinition) -> AbstractAsyncContextManager[Child]:
        """A process that is ready to run the task."""
        return self._processes.seat(task)

    async def run(
        self, admitted: Admitted, until: float | None, child: Child | None = None, emitter: Voice | None = None
    ) -> object:
        """The task's result; raises what it raised. Cancelling this stops the code as far as Python can."""
        task, work, arguments = admitted.task, admitted.work, admitted.arguments
        view = (self._app, task.name, task.queue, work, self._clock, until)
        context = Context(*view).telling(emitter).holding(admitted.ticket)
        current.set(context)
        current_trace.set(work.trace_id)
        if child is not None:
            carrier = NO_CARRIER if self._tracer is None else self._tracer.carrier()
            code = child.run(admitted, context.remaining, emitter, carrier)
        elif task.place == "thread":
            told = FromThread(emitter) if emitter is not None else None
            code = self._in_thread(task, arguments, BlockingContext(*view).telling(told).holding(admitted.ticket))
        else:
            positional = (context, *arguments.positional) if task.wants == "context" else arguments.positional
            code = task.function(*positional, **arguments.named)
        return await (self._within_hooks(context, code) if self._around else code)

    async def close(self) -> None:
        """End idle threads and child processes."""
        self._threads.close()
        await self._processes.close()

    async def _within_hooks(self, context: Context, code: Coroutine[Any, Any, object]) -> object:
        try:
            async with AsyncExitStack() as wrapped:
                for hook in self._around:
                    await wrapped.enter_async_context(hook(context))
                return await code
        finally:
            # A hook that fails leaves it unstarted, which is no oversight.
            code.close()

    async def _in_thread(self, task: TaskDefinition, arguments: Arguments, context: BlockingContext) -> object:
        current.set(context)
        positional = (context, *arguments.positional) if task.wants == "blocking context" else arguments.positional
        try:
            return await self._threads.run(lambda: _finished(task.function(*positional, **arguments.named)))
        except asyncio.CancelledError:
            context.cancel()
            raise


def _finished(result: object) -> object:
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError(
            "the task is a plain function that returned a coroutine, which nobody awaits; if a decorator hides an "
            "`async def`, let it return an `async def` too"
        )
    return result
