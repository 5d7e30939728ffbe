"""A registered function and its verbs."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from goatherd import Context, Goatherd, Job, Retry, sync
from goatherd.errors import DefinitionError, InvalidArguments
from goatherd.task import AsyncTask, PlainTask


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Goatherd:
    monkeypatch.chdir(tmp_path)
    return Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db")


def test_the_kind_of_function_is_the_kind_of_task(app: Goatherd) -> None:
    @app.task
    async def waiting() -> None: ...

    @app.task(timeout=3)
    def plain() -> None: ...

    assert isinstance(waiting, AsyncTask)
    assert isinstance(plain, PlainTask)
    assert (waiting.definition.place, plain.definition.place, plain.definition.timeout) == ("loop", "thread", 3.0)


def test_a_task_says_what_it_is(app: Goatherd) -> None:
    @app.task(name="mail.send")
    async def send_mail() -> None:
        """Send a mail."""

    assert (send_mail.name, send_mail.__doc__, send_mail.app) == ("mail.send", "Send a mail.", app)
    assert repr(send_mail) == "<Task mail.send of shop>"


@pytest.mark.parametrize("what", [print, int, functools.partial(print), "name", None])
def test_only_functions_can_be_tasks(app: Goatherd, what: Any) -> None:
    with pytest.raises(DefinitionError, match="Decorate a `def` or `async def`"):
        app.task(what)


def test_generators_cannot_be_tasks(app: Goatherd) -> None:
    def numbers() -> Iterator[int]:
        yield 1

    async def tokens() -> AsyncIterator[str]:
        yield "a"

    for function in (numbers, tokens):
        with pytest.raises(DefinitionError, match="is a generator; a task returns its result once"):
            app.task(function)  # type: ignore[call-overload]


def test_an_option_that_there_is_not_is_told_with_the_one_that_was_meant(app: Goatherd) -> None:
    async def greet() -> None: ...

    with pytest.raises(DefinitionError, match=r"'greet' has priorty=.*did you mean priority=\?"):
        app.task(priorty=3)(greet)  # type: ignore[call-overload]
    with pytest.raises(DefinitionError, match=r"colour=.*there are name, queue, retry"):
        app.task(colour="red")(greet)  # type: ignore[call-overload]


def test_a_decorated_function_keeps_the_parameters_of_the_inner_one(app: Goatherd) -> None:
    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            return await function(*args, **kwargs)

        return wrapper

    @app.task
    @timed
    async def greet(name: str) -> None: ...

    assert greet.definition.signature.types == {"name": str}


# --- context -------------------------------------------------------------------------------------------------------


def test_a_context_in_front_is_not_part_of_what_callers_pass(app: Goatherd) -> None:
    @app.task
    async def waiting(ctx: Context, url: str) -> None: ...

    @app.task
    def plain(ctx: sync.Context, url: str) -> None: ...

    assert waiting.definition.signature.names == plain.definition.signature.names == ("url",)
    assert (waiting.definition.wants, plain.definition.wants) == ("context", "blocking context")


def test_the_wrong_kind_of_context_is_told_with_the_right_one(app: Goatherd) -> None:
    @app.task
    async def waiting(ctx: sync.Context) -> None: ...

    @app.task
    def plain(ctx: Context) -> None: ...

    with pytest.raises(DefinitionError, match=r"is an async function, so its context is a goatherd\.Context"):
        _ = waiting.definition
    with pytest.raises(DefinitionError, match=r"is a plain function, so its context is a goatherd\.sync\.Context"):
        _ = plain.definition


def test_a_context_in_another_place_is_told(app: Goatherd) -> None:
    @app.task
    async def late(url: str, ctx: Context) -> None: ...

    with pytest.raises(DefinitionError, match="'ctx' of task 'late' is a Context"):
        _ = late.definition


# --- types ---------------------------------------------------------------------------------------------------------


def test_types_made_inside_of_a_function_can_be_used(app: Goatherd) -> None:
    class Local(msgspec.Struct):
        number: int

    @app.task
    async def bare(it: Local) -> None: ...

    @app.task(timeout=3)
    async def with_options(it: Local) -> None: ...

    assert bare.definition.signature.types == with_options.definition.signature.types == {"it": Local}


def test_a_type_may_follow_later_in_the_module(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    @app.task
    async def early(it: Later) -> None: ...  # type: ignore[name-defined]  # noqa: F821 - it follows

    monkeypatch.setitem(globals(), "Later", int)
    assert early.definition.signature.types == {"it": int}


def test_a_positional_only_parameter_of_a_plain_queue_is_the_whole_body(app: Goatherd) -> None:
    plain = app.queue("answers", format="plain")

    @app.task(queue=plain)
    async def answer(body: dict[str, int], /) -> None: ...

    @app.task(queue="native")
    async def native(body: dict[str, int], /) -> None: ...

    @app.task(queue=app.queue("two", format="plain"))
    async def two(a: int, b: int, /) -> None: ...

    assert answer.job({"a": 1}).payload == b'{"a":1}'
    assert native.job({"a": 1}).payload == b'{"body":{"a":1}}'
    assert two.job(1, 2).payload == b'{"a":1,"b":2}'


# --- verbs ---------------------------------------------------------------------------------------------------------


def test_a_job_is_checked_and_not_yet_sent(app: Goatherd) -> None:
    @app.task
    async def send_mail(to: str, subject: str = "hi") -> None: ...

    job = send_mail.job("a@b.c")
    assert isinstance(job, Job)
    assert (job.payload, job.definition) == (b'{"to":"a@b.c"}', send_mail.definition)
    assert repr(job) == f"<Job send_mail {job.id}>"
    with pytest.raises(InvalidArguments) as caught:
        send_mail.job(to=1, subject=2)  # type: ignore[arg-type]
    assert isinstance(caught.value, TypeError)
    assert set(caught.value.problems) == {"to", "subject"}


async def test_wrong_arguments_are_told_and_nothing_is_sent(app: Goatherd) -> None:
    @app.task
    async def send_mail(to: str) -> None: ...

    async with app:
        with pytest.raises(InvalidArguments, match="Nothing was sent"):
            await send_mail.send(7)  # type: ignore[arg-type]
        with pytest.raises(InvalidArguments):
            await app.send_many(send_mail.job(to) for to in ("a", 7))  # type: ignore[arg-type]
        [queue] = await app.session().ports.operations.queues()
    assert queue.ready == 0


async def test_many_jobs_of_any_tasks_are_sent_in_order(app: Goatherd) -> None:
    @app.task
    async def one(number: int) -> None: ...

    @app.task(queue="other")
    async def two() -> None: ...

    jobs: list[Job[Any]] = [one.job(1), two.job(), one.options(id="mine").job(3)]
    async with app:
        ids = await app.send_many(jobs)
        states = {queue.name: queue.ready for queue in await app.session().ports.operations.queues()}
    assert ids == [job.id for job in jobs]
    assert (ids[-1], states) == ("mine", {"shop": 2, "other": 1})


def test_options_make_another_task_and_leave_the_first_as_it_is(app: Goatherd) -> None:
    @app.task
    async def send_mail() -> None: ...

    urgent = send_mail.options(priority=9)
    later = urgent.options(delay=60, id="j1")
    assert send_mail.job().options.priority is None
    assert urgent.job().options.priority == 9
    assert (later.job().options.priority, later.job().options.delay, later.job().id) == (9, 60, "j1")
    assert type(later) is type(send_mail)


def test_options_that_make_no_sense_are_refused_where_they_are_written(app: Goatherd) -> None:
    @app.task
    async def send_mail() -> None: ...

    with pytest.raises(ValueError, match="not both"):
        send_mail.options(delay=1, at=datetime(2030, 1, 1, tzinfo=UTC))
    with pytest.raises(DefinitionError, match="priority=11"):
        send_mail.options(priority=11)


async def test_a_task_can_be_called_like_the_function_it_is(app: Goatherd) -> None:
    @app.task(retry=Retry(3))
    async def double(number: int) -> int:
        return 2 * number

    @app.task
    def half(number: float) -> float:
        return number / 2

    assert await double(4) == 8
    assert half(number=4) == 2
    assert await double.options(delay=60)(4) == 8
