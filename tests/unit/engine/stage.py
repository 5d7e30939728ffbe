"""An app at work inside of a test, whose every step can be awaited."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from goatherd import Goatherd
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.engine.worker import Worker
from goatherd.model.dead_letter import DeadLetter, LetterFilter
from goatherd.model.message import Delivery, Message
from goatherd.ports.broker import Broker, Deliver
from goatherd.ports.clock import Timer
from goatherd.roles import working

#: Seconds that a step may take on a busy machine before the test fails.
PATIENCE = 20.0


class Notes:
    """What has happened so far, by name."""

    def __init__(self) -> None:
        self.counted: Counter[str] = Counter()
        self._more = asyncio.Event()

    def __call__(self, what: str) -> None:
        self.counted[what] += 1
        self._more.set()

    async def saw(self, what: str, times: int = 1) -> None:
        """Return when it has happened so often."""
        try:
            async with asyncio.timeout(PATIENCE):
                while self.counted[what] < times:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"waited for {times} times {what!r}, but saw only {dict(self.counted)}") from None


class HandClock:
    """Time that stands still until the test moves it."""

    def __init__(self) -> None:
        self._now = float(int(time.time()))
        self._alarms: list[Alarm] = []

    def now(self) -> float:
        return self._now

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        alarm = Alarm(when, callback)
        self._alarms.append(alarm)
        self._ring()
        return alarm

    def advance(self, seconds: float) -> None:
        self._now += seconds
        self._ring()

    def _ring(self) -> None:
        due = [alarm for alarm in self._alarms if alarm.when <= self._now]
        self._alarms = [alarm for alarm in self._alarms if alarm.when > self._now and not alarm.cancelled]
        for alarm in due:
            asyncio.get_running_loop().call_soon(alarm.ring)


class Alarm:
    def __init__(self, when: float, callback: Callable[[], None]) -> None:
        self.when = when
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def ring(self) -> None:
        if not self.cancelled:
            self.callback()


class Stage:
    """One worker of an app, and all that it does to the broker."""

    def __init__(self, app: Goatherd) -> None:
        self.app = app
        self.notes = Notes()
        self.worker: Worker
        self.following: list[Message] = []

    @property
    def broker(self) -> Broker:
        return self.app.session().ports.broker

    @property
    def office(self) -> DeadLetterOffice:
        session = self.app.session()
        return DeadLetterOffice(session.ports.dead_letters, self.app.format_of, session.posting)

    async def saw(self, what: str, times: int = 1) -> None:
        await self.notes.saw(what, times)

    async def letters(self) -> list[DeadLetter]:
        """Every dead letter, oldest first."""
        return [letter async for letter in self.office.find(LetterFilter())]

    async def letter(self) -> DeadLetter:
        """The only dead letter, as soon as there is one."""
        await self.saw("buried")
        [letter] = await self.letters()
        return letter

    async def publish(self, queue: str, body: bytes, **properties: Any) -> None:
        """Put bytes onto a queue as another program would."""
        await self.broker.publish([Message(**{"id": "m1", "queue": queue, "body": body, **properties})])

    def watch(self) -> None:
        """Note what the broker delivers, and what it has taken from the worker."""
        broker: Any = self.broker
        self._watch_deliveries(broker)
        ack, replace, bury, hand_back = broker.ack, broker.replace, broker.bury, broker.hand_back

        def noting_ack(delivery: Delivery) -> None:
            ack(delivery)
            self.notes("acked")

        async def noting_replace(delivery: Delivery, message: Message) -> None:
            await replace(delivery, message)
            self.following.append(message)
            self.notes("replaced")

        async def noting_bury(delivery: Delivery, burial: Any) -> None:
            await bury(delivery, burial)
            self.notes("buried")

        async def noting_hand_back(deliveries: Sequence[Delivery]) -> None:
            await hand_back(deliveries)
            for _ in deliveries:
                self.notes("handed back")

        broker.ack, broker.replace, broker.bury = noting_ack, noting_replace, noting_bury
        broker.hand_back = noting_hand_back

    def _watch_deliveries(self, broker: Any) -> None:
        consume = broker.consume

        async def noting_consume(queue: str, prefetch: int, deliver: Deliver) -> Any:
            def noting_deliver(deliveries: Sequence[Delivery]) -> None:
                deliver(deliveries)
                for _ in deliveries:
                    self.notes("delivered")

            return await consume(queue, prefetch, noting_deliver)

        broker.consume = noting_consume


@asynccontextmanager
async def at_work(app: Goatherd, **share: Any) -> AsyncIterator[Stage]:
    """Open the app and work; at the end stop in order."""
    async with app:
        stage = Stage(app)
        stage.watch()
        async with working(app, **share) as stage.worker:
            yield stage


@asynccontextmanager
async def opened(app: Goatherd) -> AsyncIterator[Stage]:
    """Open the app without a worker."""
    async with app:
        stage = Stage(app)
        stage.watch()
        yield stage
