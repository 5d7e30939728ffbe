"""An app opened on one event loop: its ports and what stands on them."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

from goatherd.config import Settings
from goatherd.engine.enqueue import Sender
from goatherd.model.topology import Queue
from goatherd.ports.clock import Clock
from goatherd.ports.telemetry import Telemetry
from goatherd.wiring import Ports, open_ports

#: How ports are opened; tests put something between the app and its ports.
Opener: TypeAlias = Callable[[Settings, Clock], Awaitable[Ports]]


class Session:
    """What verbs use while the app is open; shared by nested openings on one loop."""

    def __init__(self, ports: Ports, clock: Clock, telemetry: Telemetry, settings: Settings) -> None:
        self.ports = ports
        self.clock = clock
        self.telemetry = telemetry
        self.sender = Sender(ports.broker, clock, telemetry)
        self.users = 0

    @classmethod
    async def open(
        cls,
        settings: Settings,
        clock: Clock,
        telemetry: Telemetry,
        queues: Iterable[Queue],
        opener: Opener = open_ports,
    ) -> "Session":
        """Open the ports and make the queues that are missing."""
        ports = await opener(settings, clock)
        try:
            await ports.broker.declare(queues)
        except BaseException:
            await ports.close()
            raise
        return cls(ports, clock, telemetry, settings)
