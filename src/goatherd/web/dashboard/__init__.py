"""The dashboard: pages on which people see how an app does, and act."""

from goatherd.web.dashboard.mounting import dashboard

__all__ = ["dashboard"]
