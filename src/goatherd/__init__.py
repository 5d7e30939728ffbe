"""Goatherd: background work for Python services."""

from goatherd.app import Goatherd
from goatherd.engine.context import Context
from goatherd.errors import GiveUp, GoatherdError, RetryLater, Unavailable
from goatherd.model.dead_letter import DeadLetter
from goatherd.model.health import Health
from goatherd.model.job import Job
from goatherd.model.retry import Retry
from goatherd.model.topology import Queue
from goatherd.task import Task

__all__ = [
    "Context",
    "DeadLetter",
    "GiveUp",
    "Goatherd",
    "GoatherdError",
    "Health",
    "Job",
    "Queue",
    "Retry",
    "RetryLater",
    "Task",
    "Unavailable",
]
