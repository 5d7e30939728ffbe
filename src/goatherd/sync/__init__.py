"""For threaded programs: the same verbs, which wait, and the context of plain `def` tasks."""

from goatherd.engine.context import BlockingContext as Context
from goatherd.sync.blocking import blocking

__all__ = ["Context", "blocking"]
