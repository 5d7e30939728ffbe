"""An answer that the broker does not take: tried again while the broker is away, given up when the caller is gone."""

import asyncio
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.engine.answers import AGAIN_AFTER, Answers
from goatherd.engine.means import Means
from goatherd.engine.meter import Meter
from goatherd.errors import Unavailable
from goatherd.model.message import Delivery, Message
from goatherd.model.verdict import Answered
from tests.unit.engine.post_office import PostOffice
from tests.unit.engine.stage import HandClock

ANSWER = Answered(outcome="done", body=b"42")


@pytest.fixture
def meter() -> Meter:
    return Meter()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def answers(office: PostOffice, meter: Meter, clock: HandClock) -> Answers:
    broker: Any = office
    return Answers(Means(broker=broker, courier=office, clock=clock, telemetry=meter), broker)


def request(clock: HandClock, seconds: float | None = 30.0) -> Delivery:
    expires = None if seconds is None else clock.now() + seconds
    asked = Message(id="j", queue="shop", body=b"", reply_to="reply.1", correlation_id="c", expires=expires)
    return Delivery(message=asked, accepted=clock.now())


def counted(meter: Meter) -> dict[str, int]:
    return {outcome: count for (_, outcome), count in meter.readings().answers.items()}


async def test_an_answer_is_addressed_to_the_one_who_asked(
    answers: Answers, office: PostOffice, clock: HandClock, meter: Meter
) -> None:
    answers.give(request(clock), ANSWER)
    answer = await office.next()
    assert (answer.queue, answer.correlation_id, answer.body, answer.reply_to) == ("reply.1", "c", b"42", "")
    assert office.acked == [], "the request is settled when its answer is safe, and not before"
    office.accept()
    assert (office.acked, counted(meter)) == (["c"], {"given": 1})
    await answers.settled()


async def test_an_answer_to_one_who_is_gone_is_given_up(
    answers: Answers, office: PostOffice, clock: HandClock, meter: Meter
) -> None:
    answers.give(request(clock), ANSWER)
    office.refuse(Unavailable("nobody waits there"))
    assert (office.acked, counted(meter), len(office.posted)) == (["c"], {"undeliverable": 1}, 1)
    await answers.settled()


@pytest.mark.parametrize("state", ["down", "connecting", "blocked"])
async def test_an_answer_is_posted_again_while_the_broker_is_away(
    answers: Answers, office: PostOffice, clock: HandClock, meter: Meter, state: str
) -> None:
    office.state = state
    answers.give(request(clock), ANSWER)
    for number in range(3):
        office.refuse(Unavailable("the broker is away"), number)
        assert len(office.posted) == number + 1
        clock.advance(AGAIN_AFTER)
        await office.next(number + 1)
    assert office.acked == []
    office.state = "up"
    office.accept(3)
    assert (office.acked, counted(meter)) == (["c"], {"given": 1})


async def test_an_answer_is_given_up_when_its_time_is_over(
    answers: Answers, office: PostOffice, clock: HandClock, meter: Meter
) -> None:
    office.state = "down"
    answers.give(request(clock, seconds=5), ANSWER)
    clock.advance(5)
    office.refuse(Unavailable("the broker is away"))
    assert (office.acked, counted(meter)) == (["c"], {"undeliverable": 1})
    await answers.settled()


async def test_a_request_without_a_deadline_is_answered_when_the_broker_is_back(
    answers: Answers, office: PostOffice, clock: HandClock
) -> None:
    office.state = "down"
    answers.give(request(clock, seconds=None), ANSWER)
    clock.advance(3600)
    office.refuse(Unavailable("the broker is away"))
    clock.advance(AGAIN_AFTER)
    await office.next(1)
    office.accept(1)
    assert office.acked == ["c"]


async def test_a_worker_that_leaves_does_not_wait_for_a_broker_that_is_away(
    answers: Answers, office: PostOffice, clock: HandClock, meter: Meter
) -> None:
    office.state = "down"
    answers.give(request(clock), ANSWER)
    office.refuse(Unavailable("the broker is away"))
    async with asyncio.timeout(5):
        await answers.settled()
    clock.advance(60)
    await asyncio.sleep(0)
    assert (len(office.posted), counted(meter)) == (1, {"undeliverable": 1})
    assert office.acked == [], "others may still answer in time"


async def test_a_worker_that_leaves_waits_for_answers_that_are_on_their_way(
    answers: Answers, office: PostOffice, clock: HandClock
) -> None:
    answers.give(request(clock), ANSWER)
    leaving = asyncio.create_task(answers.settled())
    await asyncio.sleep(0)
    assert not leaving.done()
    office.accept()
    await asyncio.wait_for(leaving, 5)


async def test_what_needs_no_answer_is_only_settled(
    answers: Answers, office: PostOffice, clock: HandClock, meter: Meter
) -> None:
    answers.give(request(clock), Answered(outcome="expired", why="too late"))
    answers.give(request(clock), Answered(outcome="failed", why="in plain format"))
    assert (office.posted, office.acked, counted(meter)) == ([], ["c", "c"], {"expired": 1})


async def test_every_metric_of_calls_is_shown(app: Goatherd) -> None:
    @app.task
    async def ask(number: int) -> int:
        return 10 // number

    async with app.serve("worker"):
        assert await ask.call(2) == 5
        with pytest.raises(Exception, match="division"):
            await ask.call(0)
    text = app.metrics()
    assert 'goatherd_calls_total{outcome="answered",queue="shop",task="ask"} 1.0' in text
    assert 'goatherd_calls_total{outcome="failed",queue="shop",task="ask"} 1.0' in text
    assert 'goatherd_call_seconds_count{queue="shop",task="ask"} 2.0' in text
    assert 'goatherd_answers_total{outcome="given",queue="shop"} 2.0' in text
    assert 'goatherd_attempts_total{outcome="failed",queue="shop",task="ask"} 1.0' in text
