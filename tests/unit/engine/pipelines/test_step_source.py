"""How a worker asks for units: as there is room, and again when it gets none."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.engine.foreign_steps import ForeignSteps
from goatherd.engine.step_book import StepBook
from goatherd.engine.step_hints import Hints
from goatherd.engine.step_source import StepHabits, StepSource
from goatherd.model.message import Delivery
from goatherd.model.run_record import Turn, UnitClaim, UnitExchange, UnitExchanged, UnitHold, UnitKey
from goatherd.model.step_wire import step_message
from goatherd.ports.clock import SystemClock


class Desk:
    """A worker with room for one, records that know which runs have such a step, and a broker that is told of acks."""

    def __init__(self) -> None:
        app = Goatherd("shop")
        shop = app.pipeline("shop", takes=int, gives=int)

        @shop.step(after=shop.input, queue="till")
        async def pay(amount: int) -> int:
            return amount

        self.over: set[str] = set()
        self.asked: list[list[str]] = []
        self.acked: list[str] = []
        self.came: asyncio.Queue[str] = asyncio.Queue()
        book = StepBook(app.pipeline_definitions(), (), "answers")
        steps: Any = self
        broker: Any = self
        hints = Hints(broker, book, ForeignSteps(book, _never), SystemClock(), _never, 60.0)
        habits = StepHabits(
            worker="w", queues=frozenset({"till"}), paused=_none, lease=30.0, largest_result=1000, moved=_nothing,
            begun=_nothing, voice=_nothing,
        )  # fmt: skip
        self.source = StepSource(steps, book, hints, SystemClock(), habits)

    async def open(self) -> None:
        await self.source.start(self._deliver, lambda: 1, _nothing)

    def tell_of(self, *runs: str) -> None:
        """Let messages about the step of these runs come, all at once."""
        self.source.sort_out([Delivery(message=_message(run), accepted=0.0, tag=run) for run in runs])

    def _deliver(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            self.came.put_nowait(delivery.message.id)

    # --- as the records ---------------------------------------------------------------------------

    async def exchange(self, exchange: UnitExchange) -> UnitExchanged:
        self.asked.append([key.run for key in exchange.wanted])
        claims = ["over" if key.run in self.over else _claim(key) for key in exchange.wanted]
        return UnitExchanged(settled=[True for _ in exchange.settled], claims=claims)  # type: ignore[arg-type]

    async def results(self, wanted: Sequence[tuple[str, str]]) -> Sequence[bytes | None]:
        return [b"5" for _ in wanted]

    async def beat(self, holds: Sequence[UnitHold], lease: float) -> Sequence[bool]:
        return [True for _ in holds]

    # --- as the broker ----------------------------------------------------------------------------

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        """Others have them."""

    def is_lost(self, delivery: Delivery) -> bool:
        return False

    def ack(self, delivery: Delivery) -> None:
        self.acked.append(str(delivery.tag))


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    await desk.open()
    yield desk
    await desk.source.stop()
    await desk.source.close(5.0)


async def test_it_asks_for_the_next_one_when_it_does_not_get_the_first(desk: Desk) -> None:
    desk.over = {"a", "b"}
    desk.tell_of("a", "b", "c", "d")
    async with asyncio.timeout(10):
        assert await desk.came.get() == "c/pay"
    assert desk.asked == [["a"], ["b"], ["c"]]
    assert desk.acked == ["a", "b", "c"]


async def test_it_does_not_ask_for_more_than_it_has_room_for(desk: Desk) -> None:
    desk.tell_of("a", "b")
    async with asyncio.timeout(10):
        assert await desk.came.get() == "a/pay"
    desk.tell_of("a", "c")
    await asyncio.sleep(0)
    assert desk.asked == [["a"]]
    assert desk.came.empty()


def _message(run: str) -> Any:
    return step_message(_turn(run), queue="till", task="shop.pay", payload=None, now=0.0)


def _turn(run: str) -> Turn:
    return Turn(
        key=UnitKey(run, "pay"), pipeline="shop", size=0, content=b"", phase="do", failures=0, tellings=0,
        trouble=None, trace_id=run, priority=0, created=0.0,
    )  # fmt: skip


def _claim(key: UnitKey) -> UnitClaim:
    return UnitClaim(
        key=key, pipeline="shop", token=1, size=0, content=b"", phase="do", failures=0, deaths=0, trouble=None,
        trace_id=key.run, priority=0, accepted=0.0, created=0.0,
    )  # fmt: skip


async def _none() -> frozenset[str]:
    return frozenset()


def _nothing(*_: object) -> Any:
    return None


async def _never(*_: object) -> bool:
    raise AssertionError("nobody asks for it")
