"""Plain ASGI apps to mount in yours, or to run from the command line."""

from goatherd.web.dashboard import dashboard
from goatherd.web.gateway import gateway

__all__ = ["dashboard", "gateway"]
