"""Open the way to OpenTelemetry."""

from importlib.metadata import version

from opentelemetry import trace

from goatherd.adapters.opentelemetry import names
from goatherd.adapters.opentelemetry.tracer import OpenTelemetryTracer
from goatherd.model.settings import Settings


def provider_in_force() -> trace.TracerProvider:
    """Who records spans, as far as the program has said."""
    return trace.get_tracer_provider()


def is_configured() -> bool:
    """Whether the program has said it."""
    return not isinstance(provider_in_force(), trace.ProxyTracerProvider)


def open_tracer(settings: Settings) -> OpenTelemetryTracer:
    """What begins spans for an app."""
    tracer = provider_in_force().get_tracer(names.LIBRARY, version("goatherd"))
    return OpenTelemetryTracer(tracer, settings.app, names.system_of(settings.broker_url))
