"""What the parts of the engine that do or want work speak to."""

from dataclasses import dataclass

from goatherd.ports.broker import Broker
from goatherd.ports.calls import Courier
from goatherd.ports.clock import Clock
from goatherd.ports.telemetry import Telemetry


@dataclass(frozen=True, kw_only=True)
class Means:
    """The ports of an open app, as workers and calls use them."""

    broker: Broker
    courier: Courier
    clock: Clock
    telemetry: Telemetry
