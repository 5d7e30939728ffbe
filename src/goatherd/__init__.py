"""Goatherd: background work for Python services."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.engine.context import Context
    from goatherd.errors import CallTimeout, GiveUp, GoatherdError, JobFailed, RetryLater, Unavailable
    from goatherd.events import Event
    from goatherd.inbox import Inbox
    from goatherd.model.alert import Alert
    from goatherd.model.app_topology import Topology
    from goatherd.model.dead_letter import DeadLetter
    from goatherd.model.failure import Failure
    from goatherd.model.health import Health
    from goatherd.model.job import Job
    from goatherd.model.lane import Fence
    from goatherd.model.retry import Retry
    from goatherd.model.topology import Queue
    from goatherd.pipeline import Pipeline
    from goatherd.run import Run
    from goatherd.step import Step
    from goatherd.tally import Tally
    from goatherd.task import Task
else:
    # Names are loaded when they are first used, because the command line lives in this package too and must start
    # fast. Type checkers do not see this branch, so a wrong name is still an error for them.
    import importlib

    _HOMES = {
        "Alert": "goatherd.model.alert",
        "CallTimeout": "goatherd.errors",
        "Context": "goatherd.engine.context",
        "DeadLetter": "goatherd.model.dead_letter",
        "Event": "goatherd.events",
        "Failure": "goatherd.model.failure",
        "Fence": "goatherd.model.lane",
        "GiveUp": "goatherd.errors",
        "Goatherd": "goatherd.app",
        "GoatherdError": "goatherd.errors",
        "Health": "goatherd.model.health",
        "Inbox": "goatherd.inbox",
        "Job": "goatherd.model.job",
        "JobFailed": "goatherd.errors",
        "Pipeline": "goatherd.pipeline",
        "Queue": "goatherd.model.topology",
        "Retry": "goatherd.model.retry",
        "RetryLater": "goatherd.errors",
        "Run": "goatherd.run",
        "Step": "goatherd.step",
        "Tally": "goatherd.tally",
        "Task": "goatherd.task",
        "Topology": "goatherd.model.app_topology",
        "Unavailable": "goatherd.errors",
    }

    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(f"module 'goatherd' has no attribute {name!r}")
        found = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
        return found

    def __dir__():
        return sorted({*globals(), *_HOMES})


__all__ = [
    "Alert",
    "CallTimeout",
    "Context",
    "DeadLetter",
    "Event",
    "Failure",
    "Fence",
    "GiveUp",
    "Goatherd",
    "GoatherdError",
    "Health",
    "Inbox",
    "Job",
    "JobFailed",
    "Pipeline",
    "Queue",
    "Retry",
    "RetryLater",
    "Run",
    "Step",
    "Tally",
    "Task",
    "Topology",
    "Unavailable",
]
