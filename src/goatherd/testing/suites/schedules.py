"""The suite of the port of schedules: every adapter passes it, with several clients on one store."""

from goatherd.testing.suites.schedule_ends import FiringEndCases, FiringForgetCases
from goatherd.testing.suites.schedule_looks import TickCases
from goatherd.testing.suites.schedule_operations import PauseCases, SetCases
from goatherd.testing.suites.schedule_triggers import TriggerCases
from goatherd.testing.suites.schedule_versions import VersionCases

__all__ = ["SchedulesSuite"]


class SchedulesSuite(VersionCases, TickCases, FiringEndCases, FiringForgetCases, SetCases, PauseCases, TriggerCases):
    """Subclass it as Test…, give it `store`, `open` and `kept`."""
