"""Run an app's work inside a test: the real engine, SQLite in a temporary folder, a clock you move."""

from goatherd.testing.herd import Herd
from goatherd.testing.kit import testing
from goatherd.testing.records import JobRecord

__all__ = ["Herd", "JobRecord", "testing"]
