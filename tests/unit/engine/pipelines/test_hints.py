"""What is asked of the records for a message about a step."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from goatherd import Goatherd
from goatherd.engine import step_hints
from goatherd.engine.foreign_steps import ForeignSteps, Misread
from goatherd.engine.step_book import Place, StepBook
from goatherd.engine.step_hints import Hints
from goatherd.errors import Unavailable
from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery, Message
from goatherd.model.run_record import WHOLE, UnitKey
from goatherd.model.step_wire import LAST_ITEM, StepNote
from goatherd.model.trace_context import Carrier
from goatherd.ports.clock import SystemClock


@pytest.fixture
def book() -> StepBook:
    app = Goatherd("shop")
    shop = app.pipeline("shop", takes=int, gives=list[str])

    @shop.step(after=shop.input, queue=app.queue("pack"))
    async def open(number: int) -> int:
        return number

    @shop.step(after=open, queue=app.queue("list"), remote=True)
    async def listing(number: int) -> list[int]:
        raise NotImplementedError

    @shop.map(over=listing, queue="pack")
    async def pack(item: int) -> str:
        return str(item)

    @shop.step(after=pack, queue="pack")
    async def send(items: list[str]) -> list[str]:
        return items

    return StepBook(app.pipeline_definitions(), {"list", "pack"}, "shop.step-answers")


class Acks:
    """A broker that loses nothing."""

    def __init__(self) -> None:
        self.acked: list[Delivery] = []
        self.handed_back: list[Delivery] = []
        self.buried: list[tuple[Delivery, Burial]] = []

    def is_lost(self, _delivery: Delivery) -> bool:
        return False

    def ack(self, delivery: Delivery) -> None:
        self.acked.append(delivery)

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        self.handed_back += deliveries

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        self.buried.append((delivery, burial))


async def never(*_: object) -> bool:
    raise AssertionError("nothing is begun or tried again here")


def hints_of(book: StepBook, broker: Acks, *messages: dict[str, object], begin: Any = never) -> Hints:
    hints = Hints(broker, book, ForeignSteps(book, begin), SystemClock(), never, 1.0)  # type: ignore[arg-type]
    bodies = [msgspec.json.encode({"task_id": "r", **members}) for members in messages]
    those = [Delivery(message=Message(id="m", queue="pack", body=body), accepted=0.0) for body in bodies]
    assert not hints.sort_out(those)
    return hints


def asked_for(book: StepBook, members: dict[str, object]) -> list[UnitKey]:
    return [hint.key for hint in hints_of(book, Acks(), {"step": "pack", **members}).next(9, ())]


def test_of_two_about_one_unit_one_is_enough(book: StepBook) -> None:
    hints = hints_of(book, broker := Acks(), {"step": "send"}, {"step": "send"})
    assert [hint.key for hint in hints.next(9, ())] == [UnitKey("r", "send")]
    assert (len(broker.acked), hints.waiting) == (1, 0)


def test_of_two_after_a_foreign_step_each_may_say_something_about_it(book: StepBook) -> None:
    hints = hints_of(book, broker := Acks(), {"step": "pack"}, {"step": "pack", "payload": {"item": [1]}})
    assert [len(hints.next(9, ())) for _ in range(3)] == [1, 1, 0]
    assert not broker.acked


def test_an_item_is_asked_for_by_its_number(book: StepBook) -> None:
    assert asked_for(book, {"item": 3}) == [UnitKey("r", "pack", 3)]


def test_a_step_that_is_done_item_by_item_is_never_asked_for_as_a_whole(book: StepBook) -> None:
    """It could be ready, and would then be run without an item."""
    [key] = asked_for(book, {})
    assert key == UnitKey("r", "pack", LAST_ITEM)


async def seen_to(book: StepBook, error: Exception, monkeypatch: pytest.MonkeyPatch) -> Acks:
    """A message of a foreign producer that begins a run, which cannot be begun."""
    monkeypatch.setattr(step_hints, "TAKEN_AGAIN_AFTER", 0.0)

    async def begin(_place: Place, _note: StepNote, _carrier: Carrier) -> bool:
        raise error

    hints = hints_of(book, broker := Acks(), {"step": "open", "payload": 7}, begin=begin)
    [hint] = hints.next(9, ())
    hints.settle(hint, "unknown")
    async with asyncio.timeout(10):
        while hints.waiting:
            await asyncio.sleep(0)
    return broker


async def test_while_the_records_are_away_a_message_is_taken_again(
    book: StepBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept here, it would be the only one that comes where one is held at a time."""
    broker = await seen_to(book, Unavailable("away"), monkeypatch)
    assert (len(broker.handed_back), broker.acked, broker.buried) == (1, [], [])


async def test_a_message_on_which_we_fail_ourselves_is_a_dead_letter(
    book: StepBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = await seen_to(book, KeyError("no"), monkeypatch)
    [(_, burial)] = broker.buried
    assert "a fault of Goatherd: KeyError" in burial.message
    assert broker.acked == broker.handed_back == []


def answer(book: StepBook, item: int, payload: bytes) -> object:
    note = StepNote(task_id="r", step="listing", item=item, payload=msgspec.Raw(payload))
    return ForeignSteps(book, never).answer_in(note)


@pytest.mark.parametrize(("item", "payload"), [(WHOLE, b'{"no": "list"}'), (WHOLE, b'["x"]'), (3, b"[1]")])
def test_an_answer_that_cannot_be_is_misread(book: StepBook, item: int, payload: bytes) -> None:
    with pytest.raises(Misread):
        answer(book, item, payload)
