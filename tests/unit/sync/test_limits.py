"""No verb hangs, whatever the I/O thread, the broker or the user does."""

import asyncio
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.errors import CallTimeout, NotOpen, SettingsError, Unavailable
from goatherd.sync import blocking
from goatherd.sync.asking import ask
from goatherd.sync.errand import Errand
from goatherd.sync.process import PROCESS
from tests.unit.sync.crowd import all_at_once
from tests.unit.sync.stuck import stuck_loop


def test_a_stuck_loop_ends_no_verb_later_than_its_deadline_and_is_told_where(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goatherd.sync.io_thread.SILENT_AFTER", 0.1)
    double = blocking(app.tasks["double"])
    double.send(1)
    with stuck_loop():
        began = time.monotonic()
        with pytest.raises(Unavailable, match=r"blocks its event loop. It is at .*stuck\.py:.* released\.wait") as late:
            double.options(deadline=0.2, id="asked").call(1)
        assert time.monotonic() - began < 1.2
    assert (late.value.jobs, late.value.http_status) == (("asked",), 503), "nothing was sent, so it is safe to repeat"


def test_a_loop_that_gets_stuck_after_the_question_is_a_call_without_an_answer(app: Goatherd) -> None:
    @app.task
    async def careless() -> None:
        time.sleep(1.5)

    with blocking(app).serve("worker"):
        began = time.monotonic()
        with pytest.raises(CallTimeout, match=r"careless\.call was given up after 0\.2 s") as late:
            blocking(careless).options(deadline=0.2, id="asked").call()
        assert time.monotonic() - began < 1.2
    assert (late.value.job_id, late.value.http_status) == ("asked", 504)


def test_what_was_given_up_before_it_began_is_never_sent(tmp_path: Path) -> None:
    app = Goatherd("hasty", broker_url=f"sqlite:///{tmp_path}/jobs.db", publish_deadline=0.2)

    @app.task
    async def note() -> None: ...

    blocking(note).send()
    with stuck_loop():
        outcomes = all_at_once(lambda _: blocking(note).send(), range(20))
    assert {type(outcome) for outcome in outcomes} == {Unavailable}
    assert all("Nothing was sent" in str(outcome) for outcome in outcomes)
    assert all(len(outcome.jobs) == 1 for outcome in outcomes)
    assert blocking(app).health().queues["hasty"].depth == 1
    blocking(app).close()


def test_a_call_without_a_worker_ends_by_its_deadline(app: Goatherd) -> None:
    began = time.monotonic()
    with pytest.raises(CallTimeout, match="It was accepted"):
        blocking(app.tasks["double"]).options(deadline=0.3).call(1)
    assert 0.3 <= time.monotonic() - began < 1.3


def test_an_opening_that_takes_too_long_is_waited_for_no_longer_than_the_verb_may_take(tmp_path: Path) -> None:
    app = Goatherd("slow", broker_url=f"sqlite:///{tmp_path}/jobs.db", publish_deadline=0.2)
    original, may_open = app.opener, threading.Event()

    @app.task
    async def note() -> None: ...

    async def opener(*given: Any) -> Any:
        await asyncio.to_thread(may_open.wait)
        return await original(*given)

    app.opener = opener
    with pytest.raises(Unavailable, match=r"the app 'slow' is still being opened\. Nothing was sent"):
        blocking(note).send()
    may_open.set()
    assert blocking(note).send(), "the opening went on"
    blocking(app).close()


def test_a_failure_to_open_reaches_every_thread_and_the_next_verb_tries_again(app: Goatherd) -> None:
    original, tries, go_on = app.opener, [], threading.Event()

    async def opener(*given: Any) -> Any:
        tries.append(threading.current_thread().name)
        await asyncio.to_thread(go_on.wait)
        raise Unavailable("The broker is away.", retry_after=7)

    app.opener = opener
    double = blocking(app.tasks["double"])
    threading.Timer(0.2, go_on.set).start()
    outcomes = all_at_once(double.send, range(50))
    assert {(type(outcome), str(outcome)) for outcome in outcomes} == {(Unavailable, "The broker is away.")}
    assert {outcome.retry_after for outcome in outcomes} == {7}
    assert len({id(outcome) for outcome in outcomes}) == 50, "each raises an error of its own"
    assert len(tries) < 50, "those who came meanwhile shared the try"
    app.opener = original
    assert double.send(1)


def test_a_broker_that_is_not_there_is_told_by_each_verb(tmp_path: Path) -> None:
    app = Goatherd("away", broker_url="amqp://127.0.0.1:1/")

    @app.task
    async def note() -> None: ...

    for _ in range(2):
        with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1"):
            blocking(note).send()
    with pytest.raises(Unavailable):
        blocking(note).call()
    with pytest.raises(Unavailable):
        blocking(app).serve("worker")
    blocking(app).close()


def test_a_wrong_address_is_a_wrong_setting(tmp_path: Path) -> None:
    app = Goatherd("wrong", broker_url="kafka://here")

    @app.task
    async def note() -> None: ...

    with pytest.raises(SettingsError, match="kafka"):
        blocking(note).send()


def test_closing_while_others_send_loses_nothing_that_was_accepted(app: Goatherd) -> None:
    double = blocking(app.tasks["double"])

    def send_or_close(number: int) -> int:
        if number % 10 == 0:
            for _ in range(3):
                blocking(app).close()
            return 0
        return len([double.send(number) for _ in range(10)])

    outcomes = all_at_once(send_or_close, range(40))
    told = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert not [error for error in told if isinstance(error, NotOpen) or not isinstance(error, Unavailable)]
    assert blocking(app).health().queues["shop"].depth >= sum(each for each in outcomes if isinstance(each, int))


def test_a_call_that_waits_while_its_app_is_closed_is_told(app: Goatherd) -> None:
    told: list[Exception] = []

    def call() -> None:
        try:
            blocking(app.tasks["double"]).call(1)
        except Unavailable as error:
            told.append(error)

    blocking(app.tasks["double"]).send(1)
    thread = threading.Thread(target=call)
    thread.start()
    while not any(session.calls.in_flight for session in app._sessions.values()):
        assert thread.is_alive()
    began = time.monotonic()
    blocking(app).close()
    thread.join(5)
    assert time.monotonic() - began < 4
    assert "closed" in str(told[0])


def test_ctrl_c_ends_the_wait_and_the_work(app: Goatherd) -> None:
    stopped, begun = threading.Event(), threading.Event()

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    def interrupt() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        ask(Errand("endless", None, endless), 30, RuntimeError)
    assert stopped.wait(5)


def test_a_thread_that_died_is_started_again(app: Goatherd) -> None:
    double = blocking(app.tasks["double"])
    double.send(1)
    thread = PROCESS.io_thread()
    thread._loop.call_soon_threadsafe(thread._loop.stop)
    thread._thread.join(10)
    assert double.send(2)
    assert PROCESS.io_thread() is not thread
    assert blocking(app).health().queues["shop"].depth == 2
