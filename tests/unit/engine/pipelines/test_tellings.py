"""When workers are told again of a unit that nobody has claimed."""

import pytest

from goatherd import Goatherd
from goatherd.engine.conducting import LONG_QUEUE, PATIENT_LOOKS, Score, Scores
from goatherd.engine.step_book import StepBook
from goatherd.model.run_record import Turn, UnitKey
from goatherd.ports.clock import SystemClock


@pytest.fixture
def scores() -> Scores:
    shop = (app := Goatherd("shop")).pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input, queue="till")
    async def pay(amount: int) -> int:
        return amount

    return Scores(StepBook(app.pipeline_definitions(), (), "shop.step-answers"), SystemClock())


def told(scores: Scores, tellings: int, waiting: int) -> Score:
    turn = Turn(
        key=UnitKey("run", "pay"), pipeline="shop", size=0, content=b"", phase="do", failures=0, tellings=tellings,
        trouble=None, trace_id="run", priority=0, created=0.0,
    )  # fmt: skip
    return scores.written([turn], {}, {"till": waiting})


def test_the_first_message_is_sent_whatever_waits(scores: Scores) -> None:
    assert len(told(scores, 0, waiting=LONG_QUEUE).messages) == 1


@pytest.mark.parametrize("waiting", [0, 1, LONG_QUEUE - 1])
def test_it_is_sent_again_where_little_waits(scores: Scores, waiting: int) -> None:
    assert len(told(scores, 1, waiting).messages) == 1


@pytest.mark.parametrize("tellings", range(1, PATIENT_LOOKS + 1))
def test_where_many_messages_wait_its_own_may_be_among_them(scores: Scores, tellings: int) -> None:
    score = told(scores, tellings, waiting=LONG_QUEUE)
    assert not score.messages
    # To be put off would not count, and so never come to an end.
    assert not score.postponed


def test_a_queue_that_is_always_long_does_not_keep_a_lost_message_from_being_sent_again(scores: Scores) -> None:
    assert len(told(scores, PATIENT_LOOKS + 1, waiting=LONG_QUEUE).messages) == 1
