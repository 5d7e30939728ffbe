"""Counts as Prometheus text."""

from goatherd.errors import MissingExtra
from goatherd.model.readings import Readings
from goatherd.model.routing import RouterReadings


def metrics_text(readings: Readings) -> str:
    """Counts as Prometheus text; raises MissingExtra."""
    try:
        from goatherd.adapters.prometheus import render
    except ImportError as error:
        raise MissingExtra("Metrics in Prometheus text", "prometheus") from error
    return render(readings)


def router_metrics_text(readings: RouterReadings) -> str:
    """What a router has counted, as Prometheus text; raises MissingExtra."""
    try:
        from goatherd.adapters.prometheus import render_router
    except ImportError as error:
        raise MissingExtra("Metrics in Prometheus text", "prometheus") from error
    return render_router(readings)
