"""What comes again to the process that knows what became of it."""

from typing import Any

import pytest

from goatherd.adapters.rabbitmq import returning
from goatherd.adapters.rabbitmq.failures import LinkLost
from goatherd.adapters.rabbitmq.handle import Handle
from goatherd.adapters.rabbitmq.returning import Returning
from goatherd.model.message import Delivery, Message


class Line:
    """A channel and its acks in one: alive, or lost."""

    def __init__(self, *, lost: bool = False) -> None:
        self.failed = LinkLost("cut") if lost else None
        self.acked: list[int] = []

    def ack(self, tag: int) -> bool:
        self.acked.append(tag)
        return False


def handle(line: Any, tag: int) -> Handle:
    return Handle(line, line, tag)


def begun(store: Returning, line: Line, body: bytes = b"work", job: str = "a") -> Delivery:
    message = Message(id=job, queue="q", body=body)
    delivery = Delivery(message=message, accepted=0.0, tag=handle(line, 1))
    store.begun(delivery)
    return delivery


def test_a_run_that_goes_on_settles_what_came_again() -> None:
    store, living = Returning(), Line()
    running = begun(store, Line(lost=True))
    assert store.carried_on(running.message, handle(living, 7))
    assert isinstance(running.tag, Handle)
    expected: Any = (living, 7)
    assert (running.tag.channel, running.tag.tag) == expected


def test_what_was_done_unheard_is_acked_once() -> None:
    store, living = Returning(), Line()
    ended = begun(store, Line(lost=True))
    store.settled_unheard(ended)
    assert store.carried_on(ended.message, handle(living, 7))
    assert living.acked == [7]
    assert not store.carried_on(ended.message, handle(living, 8)), "a second one is another job"


def test_a_delivery_that_is_not_lost_stands_for_itself() -> None:
    store = Returning()
    running = begun(store, Line())
    assert not store.carried_on(running.message, handle(Line(), 7))


@pytest.mark.parametrize("job", ["a", ""])
def test_ids_that_strangers_use_twice_or_never_prove_nothing(job: str) -> None:
    store = Returning()
    lost = begun(store, Line(lost=True), b"first", job)
    other = Message(id=job, queue="q", body=b"first" if not job else b"second")
    assert not store.carried_on(other, handle(Line(), 7))
    store.settled_unheard(lost)
    assert not store.carried_on(other, handle(Line(), 7))


def test_what_was_never_begun_here_is_not_remembered() -> None:
    store = Returning()
    delivery = Delivery(message=Message(id="a", queue="q", body=b"x"), accepted=0.0, tag=handle(Line(lost=True), 1))
    store.settled_unheard(delivery)
    assert not store.carried_on(delivery.message, handle(Line(), 7))


def test_memory_fades_and_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returning, "MOST_REMEMBERED", 2)
    store, lost = Returning(), Line(lost=True)
    ended = [begun(store, lost, job=name) for name in ("a", "b", "c")]
    for delivery in ended:
        store.settled_unheard(delivery)
    living = Line()
    assert not store.carried_on(ended[0].message, handle(living, 1)), "the oldest is forgotten"
    assert store.carried_on(ended[1].message, handle(living, 2))
    monkeypatch.setattr(returning, "REMEMBERED_FOR", 0.0)
    assert not store.carried_on(ended[2].message, handle(living, 3)), "too long ago"
