"""What the parts of the engine that do or want work speak to."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from goatherd.model.message import Message
from goatherd.ports.broker import Broker
from goatherd.ports.calls import Courier
from goatherd.ports.clock import Clock
from goatherd.ports.telemetry import Telemetry
from goatherd.ports.tracer import Tracer


@dataclass(frozen=True, kw_only=True)
class Means:
    """The ports of an open app, as workers and calls use them."""

    broker: Broker
    courier: Courier
    clock: Clock
    telemetry: Telemetry
    #: Told of a job that has ended and was the only one of its kind until then; None where there are none.
    release: Callable[[Message], Awaitable[None]] | None = None
    #: What begins spans; None where nobody wants traces.
    tracer: Tracer | None = None
