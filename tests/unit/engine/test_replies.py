"""Answers: for the one who waits, for nobody, or for nobody any more."""

import asyncio
import logging
from collections.abc import Callable

import pytest

from goatherd import Goatherd
from goatherd.engine import remembered
from goatherd.errors import JobFailed, Unavailable
from goatherd.model import reply
from tests.unit.engine.post_office import Double, PostOffice, all_of, asking, outcomes
from tests.unit.engine.stage import HandClock

pytestmark = pytest.mark.usefixtures("office_opened")


async def test_late_and_foreign_answers_are_counted_and_acked(
    app: Goatherd, double: Double, office: PostOffice, clock: HandClock
) -> None:
    call = asking(double.options(id="j", deadline=5).call(1))
    await office.next()
    clock.advance(5)
    await all_of([call])
    office.answer(("j", b"2"), ("never asked", b"1"), ("", b"1"))
    office.deliver(("j", b"\xff not even JSON"))
    assert app.meter.readings().strays == {"late": 2, "foreign": 2}
    assert len(office.acked) == 4


async def test_the_second_answer_of_two_is_late(app: Goatherd, double: Double, office: PostOffice) -> None:
    call = asking(double.options(id="j").call(1))
    await office.next()
    office.answer(("j", b"2"))
    assert await call == 2
    office.answer(("j", b"3"))
    assert app.meter.readings().strays == {"late": 1}


async def test_what_is_remembered_of_ended_calls_is_bounded(
    app: Goatherd, double: Double, office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MOST", 3)
    for number in range(5):
        call = asking(double.options(id=str(number)).call(number))
        await office.next(number)
        office.answer((str(number), b"0"))
        await call
    office.answer(*((str(number), b"0") for number in range(5)))
    assert app.meter.readings().strays == {"foreign": 2, "late": 3}


async def test_a_failure_is_raised_with_what_the_other_side_knew(
    app: Goatherd, double: Double, office: PostOffice
) -> None:
    call = asking(double.options(id="j").call(1))
    await office.next()
    office.deliver(("j", reply.of_failure("j", "ValueError", "no such number", "line 1\nline 2")))
    with pytest.raises(JobFailed, match="Job j failed with ValueError: no such number") as caught:
        await call
    error = caught.value
    assert (error.job_id, error.error_type, error.message) == ("j", "ValueError", "no such number")
    assert error.traceback == "line 1\nline 2"
    assert "line 2" in str(error)
    assert outcomes(app) == {"failed": 1}


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff", b"nonsense", b"[]", b"42", b'{"v":1}', b'{"v":1,"task_id":"j","result":"text"}', b"[" * 5000],
)
async def test_an_answer_that_nobody_can_read_is_a_failure_and_not_a_hang(
    app: Goatherd, double: Double, office: PostOffice, body: bytes
) -> None:
    call = asking(double.options(id="j").call(1))
    await office.next()
    office.deliver(("j", body))
    with pytest.raises(JobFailed, match="not what 'double' returns") as caught:
        await call
    assert caught.value.error_type == "InvalidReply"
    assert outcomes(app) == {"failed": 1}


async def test_a_cancelled_call_is_called_off_and_forgotten(app: Goatherd, double: Double, office: PostOffice) -> None:
    call = asking(double.options(id="j").call(1))
    await office.next()
    call.cancel()
    [end] = await all_of([call])
    assert isinstance(end, asyncio.CancelledError)
    assert (outcomes(app), app.session().calls.in_flight) == ({"cancelled": 1}, 0)
    office.answer(("j", b"2"))
    assert app.meter.readings().strays == {"late": 1}


async def test_whoever_waits_is_told_when_the_app_closes(make_app: Callable[..., Goatherd], office: PostOffice) -> None:
    app = make_app("other")

    @app.task
    async def ask() -> None: ...

    async with app:
        office.take_the_place_of(app)
        call = asking(ask.call())
        await office.next()
    with pytest.raises(Unavailable, match="closed before the answer came"):
        await call
    assert office.notes.counted["stopped"] == 1


async def test_the_queue_for_answers_is_told_in_the_log(
    double: Double, office: PostOffice, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "goatherd.calls")
    call = asking(double.options(id="j").call(1))
    await office.next()
    office.answer(("j", b"2"))
    await call
    assert [record.getMessage() for record in caplog.records if record.name == "goatherd.calls"] == [
        "Answers come to queue reply.test",
        "Asked double[j], answer to reply.test",
        "Answer to j",
    ]
