"""Note what the app sends."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from goatherd.config import Settings
from goatherd.errors import Unavailable
from goatherd.model.message import Message
from goatherd.model.task import TaskDefinition
from goatherd.ports.broker import Broker
from goatherd.ports.clock import Clock
from goatherd.session import Opener
from goatherd.testing.passage import Passage
from goatherd.testing.records import Records
from goatherd.wiring import Ports, open_ports


class Recorder(Passage):
    """The app's way to its broker."""

    def __init__(
        self, broker: Broker, note: Callable[[Message], None], forget: Callable[[Sequence[str]], None]
    ) -> None:
        super().__init__(broker)
        self._note = note
        self._forget = forget

    async def publish(self, messages: Sequence[Message]) -> None:
        # Noted before it is sent: a worker may start it before the broker has answered.
        for message in messages:
            self._note(message)
        try:
            await super().publish(messages)
        except Unavailable as error:
            self._forget(error.jobs)
            raise


def recording(records: Records, task_named: Callable[[str], TaskDefinition]) -> Opener:
    """Opens ports that note what is sent."""

    async def open_recorded(settings: Settings, clock: Clock) -> Ports:
        ports = await open_ports(settings, clock)

        def note(message: Message) -> None:
            records.sent(message, task_named(message.task), clock.now())

        return replace(ports, broker=Recorder(ports.broker, note, records.not_sent))

    return open_recorded
