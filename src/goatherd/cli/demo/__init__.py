"""The demo: every promise as a scene with real worker processes, each checked."""

from goatherd.cli.demo.command import demo

__all__ = ["demo"]
