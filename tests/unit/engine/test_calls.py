"""The caller's side: every call ends in exactly one way, by its deadline."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.errors import CallTimeout, Unavailable
from tests.unit.engine.post_office import Double, PostOffice, all_of, asking, outcomes
from tests.unit.engine.stage import HandClock

pytestmark = pytest.mark.usefixtures("office_opened")


async def test_a_request_carries_where_when_and_what(
    app: Goatherd, double: Double, office: PostOffice, clock: HandClock
) -> None:
    call = asking(double.options(id="job 1", deadline=7, priority=3).call(21))
    sent = await office.next()
    assert (sent.id, sent.queue, sent.task, sent.priority) == ("job 1", "shop", "double", 3)
    assert (sent.reply_to, sent.expires, sent.due) == (PostOffice.queue, clock.now() + 7, None)
    office.answer(("job 1", b"42"))
    assert await call == 42
    assert app.session().calls.reply_queue == PostOffice.queue
    assert outcomes(app) == {"answered": 1}


async def test_one_queue_is_made_for_all_calls(double: Double, office: PostOffice) -> None:
    office.opening.clear()
    calls = [asking(double.options(id=str(number)).call(number)) for number in range(10)]
    await office.notes.saw("listening")
    office.opening.set()
    await office.next(9)
    office.answer(*((str(number), str(number * 2).encode()) for number in range(10)))
    assert await all_of(calls) == [number * 2 for number in range(10)]
    assert office.notes.counted["listening"] == 1
    assert office.exclusive == [False]


@pytest.mark.parametrize("option", [{"delay": 5}, {"at": datetime(2040, 1, 1, tzinfo=UTC)}])
async def test_a_call_is_made_now(app: Goatherd, double: Double, office: PostOffice, option: Any) -> None:
    with pytest.raises(ValueError, match="A call is made now"):
        await double.options(**option).call(1)
    assert (office.posted, office.notes.counted["listening"]) == ([], 0)
    assert outcomes(app) == {}, "a mistake in the program is no call"


async def test_no_delay_is_no_mistake(double: Double, office: PostOffice) -> None:
    call = asking(double.options(id="j", delay=0).call(1))
    await office.next()
    office.answer(("j", b"2"))
    assert await call == 2


async def test_a_call_that_was_accepted_and_has_no_answer_times_out(
    app: Goatherd, double: Double, office: PostOffice, clock: HandClock
) -> None:
    call = asking(double.options(id="j", deadline=5).call(1))
    await office.next()
    office.accept()
    clock.advance(4.9)
    await asyncio.sleep(0)
    assert not call.done()
    clock.advance(0.2)
    with pytest.raises(CallTimeout, match=r"No answer to double\[j\] within 5 s.*accepted") as caught:
        await call
    assert (caught.value.job_id, caught.value.http_status) == ("j", 504)
    assert isinstance(caught.value, TimeoutError)
    assert (outcomes(app), app.session().calls.in_flight) == ({"timeout": 1}, 0)


async def test_a_call_that_was_never_accepted_is_unavailable(
    app: Goatherd, double: Double, office: PostOffice, clock: HandClock
) -> None:
    call = asking(double.options(id="j", deadline=5).call(1))
    await office.next()
    clock.advance(5)
    with pytest.raises(Unavailable, match="not accepted within its 5 s") as caught:
        await call
    assert (caught.value.http_status, caught.value.jobs, caught.value.retry_after) == (503, ("j",), 1.0)
    assert outcomes(app) == {"unavailable": 1}


async def test_a_refusal_by_the_broker_is_told_at_once(app: Goatherd, double: Double, office: PostOffice) -> None:
    call = asking(double.call(1))
    await office.next()
    office.refuse(Unavailable("no such queue"))
    with pytest.raises(Unavailable, match="no such queue"):
        await call
    assert outcomes(app) == {"unavailable": 1}


async def test_an_answer_counts_though_the_broker_never_confirmed(
    double: Double, office: PostOffice, clock: HandClock
) -> None:
    call = asking(double.options(id="j", deadline=5).call(1))
    await office.next()
    office.answer(("j", b"2"))
    clock.advance(10)
    office.refuse(Unavailable("nobody knows"))
    assert await call == 2


@pytest.mark.parametrize("last", ["answer", "time", "refusal", "acceptance"])
async def test_whatever_comes_second_changes_nothing(
    app: Goatherd, double: Double, office: PostOffice, clock: HandClock, last: str
) -> None:
    call = asking(double.options(id="j", deadline=5).call(1))
    await office.next()
    office.accept()
    first: Callable[[], None] = lambda: office.answer(("j", b"2"))
    if last == "answer":
        first = lambda: clock.advance(5)
    first()
    await asyncio.sleep(0)
    {
        "answer": lambda: office.answer(("j", b"3")),
        "time": lambda: clock.advance(9),
        "refusal": lambda: office.refuse(Unavailable("late")),
        "acceptance": office.accept,
    }[last]()
    [end] = await all_of([call])
    assert isinstance(end, CallTimeout) if last == "answer" else end == 2
    assert sum(outcomes(app).values()) == 1


async def test_the_deadline_is_the_options_then_the_tasks_then_the_settings(
    app: Goatherd, office: PostOffice, clock: HandClock, double: Double
) -> None:
    @app.task(deadline=40)
    async def patient() -> None: ...

    for number, (task, wanted) in enumerate(
        [(double.options(deadline=3), 3.0), (patient.options(deadline=2), 2.0), (patient, 40.0), (double, 30.0)]
    ):
        arguments = (1,) if task.name == "double" else ()
        call = asking(task.call(*arguments))
        sent = await office.next(number)
        assert sent.expires == clock.now() + wanted
        call.cancel()
        await all_of([call])


async def test_the_queue_for_answers_may_not_come_in_time(app: Goatherd, double: Double, office: PostOffice) -> None:
    office.opening.clear()
    with pytest.raises(Unavailable, match=r"no queue for answers within 0\.01 s"):
        await double.options(deadline=0.01).call(1)
    assert (office.posted, outcomes(app)) == ([], {"unavailable": 1})
    office.opening.set()
    call = asking(double.options(id="j").call(1))
    await office.next()
    office.answer(("j", b"2"))
    assert await call == 2, "the next call asks for it anew"
