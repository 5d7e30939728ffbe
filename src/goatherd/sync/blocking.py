"""`blocking(x)`: x with verbs that wait."""

from typing import ParamSpec, TypeVar, overload

from goatherd.app import Goatherd
from goatherd.pipeline import Pipeline
from goatherd.run import Run
from goatherd.sync.app import BlockingApp
from goatherd.sync.pipeline import BlockingPipeline
from goatherd.sync.run import BlockingRun
from goatherd.sync.tally import BlockingTally
from goatherd.sync.task import BlockingTask
from goatherd.tally import Tally
from goatherd.task import Task

_P = ParamSpec("_P")
_R = TypeVar("_R")
_I = TypeVar("_I")
_O = TypeVar("_O")


@overload
def blocking(x: Goatherd, /) -> BlockingApp: ...
@overload
def blocking(x: Task[_P, _R], /) -> BlockingTask[_P, _R]: ...
@overload
def blocking(x: Pipeline[_I, _O], /) -> BlockingPipeline[_I, _O]: ...
@overload
def blocking(x: Run[_R], /) -> BlockingRun[_R]: ...
@overload
def blocking(x: Tally, /) -> BlockingTally: ...
def blocking(
    x: Goatherd | Task[_P, _R] | Pipeline[_I, _O] | Run[_R] | Tally, /
) -> BlockingApp | BlockingTask[_P, _R] | BlockingPipeline[_I, _O] | BlockingRun[_R] | BlockingTally:
    """The same thing with verbs that block this thread and no other.

    All verbs of a process are done on one I/O thread with one event loop. The first verb starts it and opens the app;
    both are closed when the interpreter ends, and made anew in a child after a fork. On the thread of an event loop a
    verb raises RuntimeError instead of blocking the loop.
    """
    if isinstance(x, Task):
        return BlockingTask(x)
    if isinstance(x, Goatherd):
        return BlockingApp(x)
    if isinstance(x, Pipeline):
        return BlockingPipeline(x)
    if isinstance(x, Run):
        return BlockingRun(x)
    if isinstance(x, Tally):
        return BlockingTally(x)
    raise TypeError(f"blocking() takes an app, a task, a pipeline, a run or a tally, not {x!r}.")
