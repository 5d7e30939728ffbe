"""Drift as text for Prometheus, for a file that its node exporter collects."""

from __future__ import annotations

from collections.abc import Sequence

from goatherd.desk.drift_words import counts
from goatherd.model.difference import Difference

#: The scheduler serves a gauge of the same name.
NAME = "goatherd_topology_drift"


def drift_gauge(app: str, differences: Sequence[Difference]) -> str:
    """One line for each class, also for those of which there are none: what is missing cannot be alerted on."""
    label = app.replace("\\", "\\\\").replace('"', '\\"')
    lines = [
        f"# HELP {NAME} What the broker has otherwise",
        f"# TYPE {NAME} gauge",
        *(f'{NAME}{{app="{label}",change="{change}"}} {number}' for change, number in counts(differences).items()),
    ]
    return "\n".join(lines) + "\n"
