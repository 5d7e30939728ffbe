"""The suite of the plumbing port: every adapter passes it, with traffic in the same virtual host."""

from goatherd.testing.suites.plumbing_changes import ChangeCases
from goatherd.testing.suites.plumbing_looks import LookCases
from goatherd.testing.suites.plumbing_moves import MoveCases

__all__ = ["PlumbingSuite"]


class PlumbingSuite(ChangeCases, LookCases, MoveCases):
    """Subclass it as Test…, give it `store`, `open` and `traffic_in`."""
