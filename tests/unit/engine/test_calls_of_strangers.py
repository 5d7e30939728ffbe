"""Requests that other programs wrote, in each layout."""

import pytest

from goatherd import Goatherd, Retry
from goatherd.errors import JobFailed
from tests.unit.engine.asker import Asker, ended
from tests.unit.engine.stage import at_work


async def test_a_native_request_of_a_stranger_is_answered_by_its_correlation_id(app: Goatherd) -> None:
    @app.task
    async def double(number: int) -> int:
        return 2 * number

    async with at_work(app) as stage:
        asker = Asker(stage)
        queue = await asker.listen()
        body = b'{"v":1,"task_id":"j","step":"double","payload":{"number":21}}'
        await stage.publish("shop", body, id="j", reply_to=queue, correlation_id="their own")
        answer = await asker.next()
    assert (answer.correlation_id, answer.body) == ("their own", b'{"v":1,"task_id":"j","result":42}')
    assert answer.reply_to == ""


async def test_an_id_of_the_greatest_length_is_answered(app: Goatherd) -> None:
    @app.task
    async def work() -> str:
        return "done"

    async with at_work(app):
        assert await work.options(id="x" * 255).call() == "done"


async def test_a_request_that_is_no_job_is_kept_as_a_dead_letter(app: Goatherd) -> None:
    @app.task
    async def work() -> None: ...

    async with at_work(app) as stage:
        asker = Asker(stage)
        await stage.publish("shop", b"\xff nonsense", reply_to=await asker.listen())
        letter = await stage.letter()
        assert (letter.reason, letter.body) == ("unparsable", b"\xff nonsense")
        assert asker.answers.empty()


async def test_a_plain_queue_answers_with_the_bare_result(app: Goatherd) -> None:
    @app.task(queue=app.queue("sums", format="plain"))
    async def add(a: int, b: int = 1) -> int:
        return a + b

    async with at_work(app) as stage:
        asker = Asker(stage)
        await stage.publish("sums", b'{"a": 1, "b": 2}', id="j", reply_to=await asker.listen(), correlation_id="c")
        answer = await asker.next()
        assert (answer.body, answer.correlation_id) == (b"3", "c")
        assert await add.call(5) == 6


async def test_a_plain_queue_does_not_answer_a_failure(app: Goatherd) -> None:
    @app.task(queue=app.queue("sums", format="plain"), retry=Retry(3, base=0))
    async def add(a: int) -> int:
        raise ValueError(a)

    async with at_work(app) as stage:
        asker = Asker(stage)
        await stage.publish("sums", b'{"a": 1}', reply_to=await asker.listen())
        await stage.saw("acked")
        assert await stage.letters() == []
        assert asker.answers.empty()
    assert ended(app) == {"failed": 1}


async def test_a_plain_request_with_wrong_arguments_is_kept(app: Goatherd) -> None:
    @app.task(queue=app.queue("sums", format="plain"))
    async def add(a: int) -> int:
        return a

    async with at_work(app) as stage:
        asker = Asker(stage)
        await stage.publish("sums", b'{"a": "one"}', reply_to=await asker.listen())
        letter = await stage.letter()
        assert (letter.reason, letter.body) == ("invalid", b'{"a": "one"}')
        assert asker.answers.empty()


async def test_a_whole_body_and_its_answer(app: Goatherd) -> None:
    @app.task(queue=app.queue("echo", format="plain"))
    async def echo(body: list[int], /) -> list[int]:
        return body[::-1]

    async with at_work(app):
        assert await echo.call([1, 2, 3]) == [3, 2, 1]


async def test_a_taskiq_queue_answers_in_our_own_form(app: Goatherd) -> None:
    @app.task(queue=app.queue("tiq", format="taskiq"))
    async def add(a: int, b: int) -> int:
        if not a:
            raise ValueError("no a")
        return a + b

    async with at_work(app) as stage:
        assert await add.call(1, b=2) == 3
        with pytest.raises(JobFailed, match="no a"):
            await add.call(0, 1)
        asker = Asker(stage)
        body = b'{"task_id":"t","task_name":"add","labels":{},"args":[1],"kwargs":{"b":4}}'
        await stage.publish("tiq", body, id="m", reply_to=await asker.listen(), correlation_id="c")
        answer = await asker.next()
        assert (answer.body, answer.correlation_id) == (b'{"v":1,"task_id":"t","result":5}', "c")
