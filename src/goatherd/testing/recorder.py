"""Note what the app sends."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from goatherd.errors import Unavailable
from goatherd.model.message import Delivery, Message
from goatherd.model.settings import Settings
from goatherd.model.task import TaskDefinition
from goatherd.ports.broker import Broker, Deliver, Subscription
from goatherd.ports.calls import Courier, Receipt, Replies
from goatherd.ports.clock import Clock
from goatherd.session import Opener
from goatherd.testing.callers import Callers
from goatherd.testing.lane_recorder import LaneRecorder, Tell
from goatherd.testing.passage import Passage
from goatherd.testing.records import Records
from goatherd.testing.step_passage import QuietSteps
from goatherd.wiring import OpenLanes, OpenSteps, Ports, open_ports


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


class RecordingCourier:
    """The app's way to those whom it calls; satisfies `Courier`."""

    def __init__(self, courier: Courier, note: Callable[[Message], None], records: Records, callers: Callers) -> None:
        self._courier = courier
        self._note = note
        self._records = records
        self._callers = callers

    def post(self, message: Message, receipt: Receipt) -> None:
        if message.reply_to:
            self._note(message)
            receipt = self._callers.asked(message.id, receipt)
        self._courier.post(message, receipt)

    def call_off(self, queue: str, job_id: str) -> None:
        self._records.called_off(job_id)
        self._callers.ended(job_id)
        self._courier.call_off(queue, job_id)

    async def hear_call_offs(self, queues: Sequence[str], called_off: Callable[[str], None]) -> Subscription:
        return await self._courier.hear_call_offs(queues, called_off)

    async def listen_for_replies(self, deliver: Deliver, *, exclusive: bool) -> Replies:
        def pass_on(deliveries: Sequence[Delivery]) -> None:
            deliver(deliveries)
            for delivery in deliveries:
                self._callers.ended(delivery.message.correlation_id or delivery.message.id)

        self._callers.listening(begun=True)
        try:
            return await self._courier.listen_for_replies(pass_on, exclusive=exclusive)
        finally:
            self._callers.listening(begun=False)


def recording(records: Records, callers: Callers, task_named: Callable[[str], TaskDefinition], tell: Tell) -> Opener:
    """Opens ports that note what is sent and called; `tell` lets a caller have an error."""

    async def open_recorded(settings: Settings, clock: Clock) -> Ports:
        ports = await open_ports(settings, clock)

        def note(message: Message) -> None:
            records.sent(message, task_named(message.task), clock.now())

        async def open_lanes() -> OpenLanes:
            opened = await ports.open_lanes()
            return replace(opened, lanes=LaneRecorder(opened.lanes, note, records, callers, tell))

        async def open_steps() -> OpenSteps:
            opened = await ports.open_steps()
            return replace(opened, steps=QuietSteps(opened.steps))

        return replace(
            ports,
            ignores_transactions=True,
            open_lanes=open_lanes,
            open_steps=open_steps,
            broker=Recorder(ports.broker, note, records.not_sent),
            courier=RecordingCourier(ports.courier, note, records, callers),
        )

    return open_recorded
