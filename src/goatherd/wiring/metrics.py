"""Counts as Prometheus text, and as instruments of OpenTelemetry."""

import sys
from collections.abc import Callable

from goatherd.errors import MissingExtra
from goatherd.model.gateway_readings import GatewayReadings
from goatherd.model.readings import Readings
from goatherd.model.settings import Settings


def metrics_text(readings: Readings) -> str:
    """Counts as Prometheus text; raises MissingExtra."""
    try:
        from goatherd.adapters.prometheus import render
    except ImportError as error:
        raise MissingExtra("Metrics in Prometheus text", "prometheus") from error
    return render(readings)


def wants_opentelemetry_metrics(settings: Settings) -> bool:
    """Whether OpenTelemetry is to have the counts: a program that has not loaded its SDK exports nothing."""
    if settings.opentelemetry_metrics == "auto":
        return "opentelemetry.sdk.metrics" in sys.modules
    return settings.opentelemetry_metrics == "on"


def observe_metrics(app: str, read: Callable[[], Readings]) -> None:
    """Have OpenTelemetry ask for the counts whenever it exports; raises MissingExtra.

    Once for each app and process, for it cannot be taken back. `read` is called on other threads.
    """
    try:
        from goatherd.adapters.opentelemetry_metrics import observe
    except ImportError as error:
        raise MissingExtra("opentelemetry_metrics=on", "opentelemetry") from error
    observe(app, read)


def observe_gateway_metrics(read: Callable[[], GatewayReadings]) -> None:
    """The same for what a gateway counts."""
    try:
        from goatherd.adapters.opentelemetry_metrics import observe_gateway
    except ImportError as error:
        raise MissingExtra("opentelemetry_metrics=on", "opentelemetry") from error
    observe_gateway(read)
