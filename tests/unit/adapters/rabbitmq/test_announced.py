"""Letters that were announced lately."""

from goatherd.adapters.rabbitmq.announced import MOST, Announced
from goatherd.model.dead_letter import Burial, StoredLetter
from goatherd.model.message import Message


def letter(number: int) -> StoredLetter:
    burial = Burial(reason="failed", error_type="E", message="", attempts=1, failed_at=0)
    original = Message(id=str(number), queue="q", body=b"")
    return StoredLetter(id=str(number), original=original, accepted=0, burial=burial)


def test_the_latest_are_remembered_and_no_more() -> None:
    announced = Announced()
    for number in range(MOST + 1):
        announced.add(letter(number))
    assert announced.get("0") is None
    assert announced.get(str(MOST)) == letter(MOST)


def test_what_was_replayed_is_forgotten() -> None:
    announced = Announced()
    announced.add(letter(7))
    announced.forget("7")
    announced.forget("7")
    assert announced.get("7") is None
