"""For threaded programs: the context of plain `def` tasks."""

from goatherd.engine.context import BlockingContext as Context

__all__ = ["Context"]
