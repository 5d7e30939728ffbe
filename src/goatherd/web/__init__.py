"""Plain ASGI apps to mount in yours, or to run from the command line."""

from goatherd.web.gateway import gateway

__all__ = ["gateway"]
