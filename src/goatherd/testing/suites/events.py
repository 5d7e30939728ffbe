"""The suite of the events port: every adapter passes it, with several clients on one store."""

from goatherd.testing.suites.event_appends import AppendCases
from goatherd.testing.suites.event_lifetimes import LifetimeCases
from goatherd.testing.suites.event_readings import ReadingCases
from goatherd.testing.suites.event_watches import WatchCases

__all__ = ["EventsSuite"]


class EventsSuite(AppendCases, ReadingCases, WatchCases, LifetimeCases):
    """Subclass it as Test…, give it `store`, `open`, `wipe` and `cut_off`."""
