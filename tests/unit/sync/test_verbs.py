"""The same verbs, blocking, from any number of threads."""

import asyncio
import threading
import traceback
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from goatherd import Context, Goatherd, sync
from goatherd.engine.context import current
from goatherd.engine.enqueue import current_trace
from goatherd.errors import DefinitionError, InvalidArguments, JobFailed
from goatherd.sync import blocking
from goatherd.sync.process import PROCESS
from tests.unit.sync.crowd import all_at_once


def test_a_job_is_durable_when_send_returns(app: Goatherd) -> None:
    job_id = blocking(app.tasks["double"]).send(21)

    async def waiting() -> int:
        async with app:
            [queue] = await app.session().ports.operations.queues()
            return queue.ready

    assert len(job_id) == 36
    assert asyncio.run(waiting()) == 1


def test_options_are_those_of_the_task(app: Goatherd) -> None:
    double = blocking(app.tasks["double"]).options(delay=3600)
    assert double.options(id="seven", priority=3).send(7) == "seven"
    assert blocking(app).health().queues["shop"].depth == 1
    with pytest.raises(ValueError, match="delay"):
        double.options(delay=1, at=datetime.now(UTC))
    assert repr(double) == "blocking(<Task double of shop>)"


def test_many_jobs_go_in_one_go_and_in_order(app: Goatherd) -> None:
    double = app.tasks["double"]
    threads = []

    def jobs() -> Any:
        threads.append(threading.current_thread())
        for number in range(2500):
            yield double.options(id=str(number)).job(number)

    assert blocking(app).send_many(jobs()) == [str(number) for number in range(2500)]
    assert threads == [threading.current_thread()], "the caller's own code runs in the caller's own thread"
    assert blocking(app).health().queues["shop"].depth == 2500


def test_two_hundred_threads_send_on_one_thread_and_one_connection(app: Goatherd) -> None:
    double = blocking(app.tasks["double"])
    before = threading.active_count()

    def send(number: int) -> list[str]:
        return [double.options(id=f"{number}-{each}").send(number) for each in range(20)]

    outcomes = all_at_once(send, range(200))
    assert outcomes == [[f"{number}-{each}" for each in range(20)] for number in range(200)]
    assert blocking(app).health().queues["shop"].depth == 4000
    assert [thread.name for thread in threading.enumerate()].count("goatherd-io") == 1
    assert threading.active_count() <= before + 3, "one for I/O, one for the file, one for what blocks"


def test_each_thread_gets_its_own_answer(app: Goatherd) -> None:
    double = blocking(app.tasks["double"])

    def call(number: int) -> list[int]:
        return [double.call(number * 100 + each) for each in range(10)]

    with blocking(app).serve("worker"):
        outcomes = all_at_once(call, range(100))
    assert outcomes == [[2 * (number * 100 + each) for each in range(10)] for number in range(100)]


def test_mistakes_are_told_as_by_the_async_verbs(app: Goatherd) -> None:
    double: Any = blocking(app.tasks["double"])
    with pytest.raises(InvalidArguments, match="number"):
        double.send("many")
    with pytest.raises(InvalidArguments, match="number"):
        double.call()
    with pytest.raises(DefinitionError, match="'worker'"):
        blocking(app).serve("werker")  # type: ignore[arg-type]  # on purpose
    with pytest.raises(TypeError, match="takes an app, a task"):
        blocking("double")  # type: ignore[call-overload]  # on purpose


def test_an_error_shows_where_it_was_raised_and_who_called(app: Goatherd) -> None:
    @app.task
    async def fail() -> None:
        raise LookupError("no such user")

    with blocking(app).serve("worker"), pytest.raises(JobFailed, match="no such user") as caught:
        blocking(fail).call()
    functions = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert functions[0] == "test_an_error_shows_where_it_was_raised_and_who_called"
    assert functions.index("outcome") < functions.index("_carry_out"), "the caller first, then the I/O thread"


async def test_on_an_event_loop_a_verb_refuses_to_block_it(app: Goatherd) -> None:
    with pytest.raises(RuntimeError, match=r"use `await double\.send\(\.\.\.\)` here"):
        blocking(app.tasks["double"]).send(1)
    with pytest.raises(RuntimeError, match=r"use `await double\.call\(\.\.\.\)` here"):
        blocking(app.tasks["double"]).call(1)
    with pytest.raises(RuntimeError, match=r"use `await shop\.health\(\.\.\.\)` here"):
        blocking(app).health()
    assert "goatherd_jobs_sent_total" in blocking(app).metrics(), "which never touches a loop"
    assert await asyncio.to_thread(blocking(app.tasks["double"]).send, 1), "another thread may wait"


def test_on_the_io_thread_itself_a_verb_refuses_to_block_it(app: Goatherd) -> None:
    @app.task
    async def nested() -> str:
        try:
            return blocking(app.tasks["double"]).send(1)
        except RuntimeError as error:
            return f"{threading.current_thread().name}: {error}"

    with blocking(app).serve("worker"):
        told = blocking(nested).call()
    assert told.startswith("goatherd-io: A blocking verb would stop the event loop")


def test_a_plain_task_may_call_others_from_its_thread(app: Goatherd) -> None:
    @app.task
    def quadruple(number: int) -> int:
        return blocking(app.tasks["double"]).call(blocking(app.tasks["double"]).call(number))

    with blocking(app).serve("worker"):
        assert blocking(quadruple).call(3) == 12


def test_what_a_job_sends_belongs_to_its_trace_and_calls_inherit_its_deadline(app: Goatherd) -> None:
    seen: list[Any] = []

    @app.task
    async def last(ctx: Context) -> None:
        seen.append((current_trace.get(), ctx.remaining))

    @app.task
    def first(ctx: sync.Context) -> None:
        seen.append((current_trace.get(), ctx.remaining))
        blocking(last).options(deadline=1000).call()

    with blocking(app).serve("worker"):
        blocking(first).options(deadline=7, id="the-first").call()
    [(trace, _), (same_trace, remaining)] = seen
    assert trace == same_trace == "the-first"
    assert 0 < remaining <= 7
    assert (current.get(), current_trace.get()) == (None, ""), "nothing of it stays behind"


def test_the_first_caller_leaves_no_trace_on_the_thread(app: Goatherd) -> None:
    """What the app keeps running was started by a verb, but it does not belong to that verb's job."""
    seen: list[str] = []

    @app.task
    async def look() -> None: ...

    token = current_trace.set("a-job-elsewhere")
    try:
        original = app.opener

        async def opener(*given: Any) -> Any:
            seen.append(current_trace.get())
            return await original(*given)

        app.opener = opener
        blocking(look).send()
    finally:
        current_trace.reset(token)
    assert seen == [""]


def test_close_lets_go_and_the_next_verb_opens_anew(app: Goatherd) -> None:
    opened = Counter[str]()
    original = app.opener

    async def opener(*given: Any) -> Any:
        opened["times"] += 1
        return await original(*given)

    app.opener = opener
    for _ in range(2):
        blocking(app.tasks["double"]).send(1)
    assert opened["times"] == 1
    thread = PROCESS.thread
    blocking(app).close()
    blocking(app).close()
    assert not [each.name for each in threading.enumerate() if each.name.startswith("goatherd-sqlite")]
    blocking(app.tasks["double"]).send(1)
    assert (opened["times"], PROCESS.thread) == (2, thread)
