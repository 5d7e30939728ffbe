"""Traces by way of OpenTelemetry."""
