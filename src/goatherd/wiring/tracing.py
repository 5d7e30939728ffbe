"""Traces, where the program wants them."""

import sys

from goatherd.errors import MissingExtra
from goatherd.model.settings import Settings
from goatherd.ports.tracer import Tracer


def open_tracer(settings: Settings) -> Tracer | None:
    """What begins spans; None if nobody records any. Raises MissingExtra if they are wanted all the same.

    A program that has not imported OpenTelemetry has not said who records its spans either, so that nothing needs to
    be imported to know it.
    """
    if settings.tracing == "off" or (settings.tracing == "auto" and "opentelemetry.trace" not in sys.modules):
        return None
    try:
        from goatherd.adapters.opentelemetry import opening
    except ImportError as error:
        if settings.tracing == "auto":
            return None
        raise MissingExtra("tracing=on", "opentelemetry") from error
    return opening.open_tracer(settings) if settings.tracing == "on" or opening.is_configured() else None
