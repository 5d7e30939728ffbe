"""Tasks and pipelines: what can be sent, with which arguments, and how to send it."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from goatherd.desk.arguments import job_by_name
from goatherd.desk.errors import NotThere
from goatherd.desk.task_schemas import schema_of_arguments
from goatherd.errors import DefinitionError, InvalidArguments
from goatherd.listening import Listener
from goatherd.model.redaction import is_hidden
from goatherd.model.signature import Signature

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.pipeline import Pipeline
    from goatherd.task import Task

#: Whether it is a plain task, one with many queues, one that a schedule fires, or a pipeline.
SubmitKind: TypeAlias = Literal["task", "listener", "schedule", "pipeline"]
Verb: TypeAlias = Literal["send", "start"]


@dataclass(frozen=True, kw_only=True)
class ParameterFacts:
    """One argument."""

    name: str
    required: bool
    #: As JSON has it; None also where it has none, or none that can be written as JSON.
    default: Any
    #: JSON Schema; what it refers to is among the `$defs` of the task's schema.
    schema: Mapping[str, Any]
    #: Whether its value is a secret, which is not shown.
    secret: bool


@dataclass(frozen=True, kw_only=True)
class TaskFacts:
    """What can be sent."""

    name: str
    kind: SubmitKind
    #: Or the pattern of its queues; empty for a pipeline, whose steps have their own.
    queue: str
    #: What its code says that it does.
    about: str
    parameters: tuple[ParameterFacts, ...]
    #: All arguments by name, as the JSON Schema of one object.
    schema: Mapping[str, Any]
    #: Whether every job of it is tracked, whoever sends it.
    tracked: bool
    #: Whether a program of somebody else does it.
    remote: bool
    #: Whether its jobs are done in order, by a key.
    in_order: bool
    #: Seconds for one attempt, and for all of it; None if there is no limit.
    timeout: float | None
    deadline: float | None


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What is to be sent, and how."""

    task: str
    #: By name.
    arguments: Mapping[str, Any]
    #: `start` tracks it, so that it can be watched; a pipeline is always started.
    verb: Verb = "send"
    #: Seconds from now before which it does not start.
    delay: float | None = None
    #: Its id; a new one if it is not given.
    id: str | None = None
    priority: int | None = None


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """What was sent."""

    id: str
    task: str
    queue: str
    #: Whether it can be watched.
    tracked: bool


def tasks(app: Goatherd) -> list[TaskFacts]:
    """All tasks and pipelines of the app, in the order of its code; raises DefinitionError or SettingsError."""
    return [_task_facts(app, each) for each in app.tasks.values()] + [
        _pipeline_facts(app, each) for each in app.pipelines.values() if each.name not in app.tasks
    ]


def task(app: Goatherd, name: str) -> TaskFacts:
    """One of them; raises NotThere."""
    if name in app.tasks:
        return _task_facts(app, app.tasks[name])
    if name in app.pipelines:
        return _pipeline_facts(app, app.pipelines[name])
    raise _no_task(app, name)


async def submit(app: Goatherd, what: Submission) -> Submitted:
    """Check the arguments and send it; durable when it returns. Raises NotThere, InvalidArguments or Unavailable."""
    if what.task in app.tasks:
        return await _submit_job(app, app.tasks[what.task], what)
    if what.task in app.pipelines:
        return await _submit_run(app.pipelines[what.task], what)
    raise _no_task(app, what.task)


async def _submit_job(app: Goatherd, task: Task[..., Any], what: Submission) -> Submitted:
    try:
        chosen = task.options(delay=what.delay, id=what.id, priority=what.priority)
    except (ValueError, DefinitionError) as error:
        raise InvalidArguments(what.task, {"options": str(error)}) from error
    job = job_by_name(chosen, what.arguments)
    session = app.session()
    sent = await (session.start(job) if what.verb == "start" else session.send(job))
    tracked = what.verb == "start" or job.definition.tracked
    return Submitted(id=sent, task=what.task, queue=job.definition.queue, tracked=tracked)


async def _submit_run(pipeline: Pipeline[Any, Any], what: Submission) -> Submitted:
    signature: Signature = pipeline.definition.takes
    [name] = signature.names
    # Tells of what is missing or unknown, by name.
    bound = signature.bind((), {}) if name not in what.arguments else what.arguments
    if unknown := [each for each in bound if each != name]:
        raise InvalidArguments(what.task, dict.fromkeys(unknown, f"not an argument of this pipeline (it takes {name})"))
    try:
        chosen = pipeline.options(delay=what.delay, id=what.id, priority=what.priority)
    except (ValueError, DefinitionError) as error:
        raise InvalidArguments(what.task, {"options": str(error)}) from error
    run = await chosen.start(bound[name])
    return Submitted(id=run.id, task=what.task, queue="", tracked=True)


def _task_facts(app: Goatherd, task: Task[..., Any]) -> TaskFacts:
    definition = task.definition
    kind: SubmitKind = "listener" if isinstance(task, Listener) else "schedule" if task.name in app.ticks else "task"
    schema = schema_of_arguments(definition.signature, app.settings.redact)
    return TaskFacts(
        name=task.name,
        kind=kind,
        queue=definition.queue,
        about=_about(definition.function),
        parameters=_parameters(app, definition.signature, schema),
        schema=schema,
        tracked=definition.tracked,
        remote=definition.remote,
        in_order=definition.lane is not None,
        timeout=definition.timeout,
        deadline=definition.deadline,
    )


def _pipeline_facts(app: Goatherd, pipeline: Pipeline[Any, Any]) -> TaskFacts:
    signature: Signature = pipeline.definition.takes
    schema = schema_of_arguments(signature, app.settings.redact)
    return TaskFacts(
        name=pipeline.name,
        kind="pipeline",
        queue="",
        about=f"A pipeline: {', '.join(pipeline.definition.steps)}.",
        parameters=_parameters(app, signature, schema),
        schema=schema,
        tracked=True,
        remote=False,
        in_order=False,
        timeout=None,
        deadline=None,
    )


def _parameters(app: Goatherd, signature: Signature, schema: Mapping[str, Any]) -> tuple[ParameterFacts, ...]:
    return tuple(
        ParameterFacts(
            name=name,
            required=name in signature.required,
            # What is shown of it is what its schema tells: no secret.
            default=schema["properties"][name].get("default"),
            schema=schema["properties"][name],
            secret=is_hidden(name, app.settings.redact),
        )
        for name in signature.names
    )


def _about(function: Any) -> str:
    return (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")


def _no_task(app: Goatherd, name: str) -> NotThere:
    known = [*app.tasks, *app.pipelines]
    near = difflib.get_close_matches(name, known, n=1)
    there = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(sorted(known)) or 'none'}."
    return NotThere("task", name, there, told=f"The app {app.name!r} has no task {name!r}.")
