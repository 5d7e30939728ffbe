"""Queues: how they stand, and what operators may do to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from goatherd.desk.errors import NotThere
from goatherd.desk.lane_waits import waiting_lanes
from goatherd.desk.queue_watch import QueueWatch, listened_queues
from goatherd.model.flow import Flow
from goatherd.model.lane_wait import LaneWait
from goatherd.model.topology import QueueState

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.errors import Unavailable

#: In one word, what matters most about it.
QueueCondition: TypeAlias = Literal["replaced", "paused", "no worker", "busy", "idle"]

#: Listeners whose queues are looked for; of one queue there may be several.
MOST_LISTENED = 100_000


@dataclass(frozen=True, kw_only=True)
class QueueFacts:
    """A queue as it stands, and how it changes."""

    name: str
    condition: QueueCondition
    #: Jobs that may start now.
    ready: int
    #: Jobs that wait for their time, and those in workers' hands; None where the broker does not tell.
    delayed: int | None
    running: int | None
    #: Workers that take from it.
    consumers: int
    #: Seconds that the oldest ready job has waited; None when nothing waits, or nobody knows.
    oldest_age: float | None
    #: Its dead letters; None where the broker does not tell.
    dead: int | None
    paused: bool
    #: Whether it is paused because another one takes its place just now.
    replaced: bool
    #: By how many ready jobs a second it grows; None before the second look.
    growing: float | None
    #: Messages a second that come in and go out; None where the broker does not count them.
    arriving: float | None
    leaving: float | None
    #: The app's tasks whose jobs are on it.
    tasks: tuple[str, ...]
    #: Lanes of its keyed tasks that wait for a worker, up to ten thousand; None if none of its tasks has a key.
    lanes: int | None = None


async def queues(app: Goatherd) -> list[QueueFacts]:
    """Every queue of the app, by name; of listeners' queues some. Raises Unavailable."""
    watch = _watch(app)
    tasks = _Tasks(app)
    states, flows, lanes = await asyncio.gather(watch.states.get(), watch.flow(), waiting_lanes(app))
    found = [_facts(state, watch.growing(state.name), flows.get(state.name, Flow()), tasks) for state in states]
    return [_with_lanes(each, lanes.get(each.name)) for each in found]


async def queue(app: Goatherd, name: str) -> QueueFacts:
    """One queue; raises NotThere or Unavailable."""
    for each in await queues(app):
        if each.name == name:
            return each
    [state] = await read_states(app, name)
    return _facts(state, None, (await _watch(app).flow()).get(name, Flow()), _Tasks(app))


async def pause(app: Goatherd, name: str) -> None:
    """Let workers take nothing more from a queue; raises NotThere or Unavailable."""
    await read_states(app, name)
    await app.session().ports.controls.pause(name)
    _watch(app).states.forget()


async def resume(app: Goatherd, name: str) -> None:
    """Let workers take from a queue again; raises NotThere or Unavailable."""
    await read_states(app, name)
    await app.session().ports.controls.resume(name)
    _watch(app).states.forget()


async def purge(app: Goatherd, name: str) -> int:
    """Delete every job that waits in a queue, and tell how many there were; raises NotThere or Unavailable."""
    await read_states(app, name)
    dropped = await app.session().ports.operations.purge(name)
    _watch(app).states.forget()
    return dropped


async def read_states(
    app: Goatherd, name: str | None, unheard: Callable[[Unavailable], None] | None = None
) -> Sequence[QueueState]:
    """All queues as the broker tells of them now, or the one that is named; raises NotThere or Unavailable.

    `unheard` is told why the queues of listeners are not among them.
    """
    # Queues of listeners come and go, so that a broker need not know of them what it is not asked for.
    also: Sequence[str] = [name] if name is not None else ()
    if name is None:
        also, trouble = await listened_queues(app, MOST_LISTENED)
        if trouble is not None and unheard is not None:
            unheard(trouble)
    states = await app.session().ports.operations.queues(also)
    if name is None:
        return states
    chosen = [state for state in states if state.name == name]
    if not chosen:
        raise NotThere("queue", name, f"There are {', '.join(state.name for state in states) or 'none'}.")
    return chosen


def _with_lanes(queue: QueueFacts, waits: LaneWait | None) -> QueueFacts:
    """The same with what waits in lanes, which may be all that waits."""
    if waits is None:
        return queue
    oldest = max(queue.oldest_age or 0.0, waits.oldest) if waits.lanes else queue.oldest_age
    condition = queue.condition
    if waits.lanes and condition == "idle":
        condition = "busy" if queue.consumers else "no worker"
    return replace(queue, lanes=waits.lanes, oldest_age=oldest, condition=condition)


def condition_of(state: QueueState) -> QueueCondition:
    """What matters most about a queue."""
    if state.replaced:
        return "replaced"
    if state.paused:
        return "paused"
    if not state.consumers and state.ready:
        return "no worker"
    return "busy" if state.running or state.ready else "idle"


def _watch(app: Goatherd) -> QueueWatch:
    return app.session().companions.get(QueueWatch, lambda: QueueWatch(app))


class _Tasks:
    """Whose jobs are on which queue: tasks, and steps of pipelines as `dub.asr`."""

    def __init__(self, app: Goatherd) -> None:
        self._book = app.listener_book
        self._found: dict[str, list[str]] = {}
        steps = [task for pipeline in app.pipeline_definitions() for task in pipeline.tasks]
        for task in (*app.definitions(), *steps):
            self._found.setdefault(task.queue, []).append(task.name)

    def on(self, queue: str) -> tuple[str, ...]:
        if queue in self._found or self._book.find(queue) is None:
            return tuple(self._found.get(queue, ()))
        listening = self._book.queues().task_on(queue)
        return () if listening is None else (listening.name,)


def _facts(state: QueueState, growing: float | None, flow: Flow, tasks: _Tasks) -> QueueFacts:
    return QueueFacts(
        name=state.name,
        condition=condition_of(state),
        ready=state.ready,
        delayed=state.delayed,
        running=state.running,
        consumers=state.consumers,
        oldest_age=state.oldest_age,
        dead=state.dead,
        paused=state.paused,
        replaced=state.replaced,
        growing=growing,
        arriving=flow.arriving,
        leaving=flow.leaving,
        tasks=tasks.on(state.name),
    )
