"""The dashboard as an ASGI app; the web framework is imported only by those who want one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goatherd.errors import MissingExtra

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.web.dashboard.app import Dashboard


def dashboard(app: Goatherd, *, open_to_all: bool = False) -> Dashboard:
    """The dashboard of an app, to be mounted in any ASGI app or served by itself; raises MissingExtra.

    Who may see it and act on it is said by the settings `dashboard_…`. With `open_to_all` everybody on this machine
    may, and nobody else.
    """
    try:
        from goatherd.web.dashboard.app import Dashboard
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] in ("fastapi", "jinja2", "starlette"):
            raise MissingExtra("The dashboard", "web") from error
        raise
    return Dashboard(app, open_to_all=open_to_all)
