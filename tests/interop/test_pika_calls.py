"""Calls to and from programs that are written as RabbitMQ's tutorial on request and reply teaches."""

import asyncio
import json
import time
from typing import Literal

import pytest

from goatherd import CallTimeout, Goatherd, JobFailed, Unavailable
from scripts.servers.management import Management
from tests.interop.pika_program import PikaProgram
from tests.interop.pika_rpc import DirectClient, PikaClient, PikaServer
from tests.interop.stage import letters_of, stored_letters

pytestmark = pytest.mark.servers

Kind = Literal["durable", "exclusive"]
KINDS: tuple[Kind, ...] = ("durable", "exclusive")


def kitchen(url: str, reply_queue: Kind = "durable") -> Goatherd:
    """The caller's side of a contract."""
    app = Goatherd("kitchen", broker_url=url, reply_queue=reply_queue)

    @app.task(queue=app.queue("recipe_analysis_request", format="plain"), remote=True)
    async def analyse(user_input: str) -> dict[str, object]:
        raise NotImplementedError

    return app


def fibonacci(url: str) -> Goatherd:
    """The server's side of a contract."""
    app = Goatherd("numbers", broker_url=url)

    @app.task(queue=app.queue("rpc_queue", format="plain"))
    async def fib(number: int, /) -> int:
        if number < 0:
            raise ValueError("there is none")
        one, two = 0, 1
        for _ in range(number):
            one, two = two, one + two
        return one

    return app


# --- we answer ----------------------------------------------------------------------------------


@pytest.mark.parametrize("client", [PikaClient, DirectClient])
async def test_a_client_of_the_tutorial_is_answered(url: str, client: type[PikaClient]) -> None:
    async with fibonacci(url).serve("worker"):

        def ask() -> list[bytes]:
            with client(url) as asking:
                return [asking.call("rpc_queue", str(number).encode()) for number in range(10)]

        assert await asyncio.to_thread(ask) == [b"0", b"1", b"1", b"2", b"3", b"5", b"8", b"13", b"21", b"34"]


@pytest.mark.parametrize("client", [PikaClient, DirectClient])
async def test_many_questions_at_once_get_each_their_own_answer(url: str, client: type[PikaClient]) -> None:
    async with fibonacci(url).serve("worker"):

        def ask() -> list[bytes | None]:
            with client(url) as asking:
                known = [asking.ask("rpc_queue", str(number % 20).encode()) for number in range(200)]
                found = [asking.answer(each) for each in known]
                return [None if each is None else each[1] for each in found]

        answers = await asyncio.to_thread(ask)
    assert answers[:200:20] == [b"0"] * 10
    assert answers[19::20] == [b"4181"] * 10
    assert None not in answers


async def test_an_answer_has_the_properties_that_a_stranger_expects(url: str) -> None:
    async with fibonacci(url).serve("worker"):

        def ask() -> tuple[object, ...]:
            with PikaClient(url) as asking:
                found = asking.answer(asking.ask("rpc_queue", b"7", correlation_id="their own"))
                assert found is not None
                properties, body = found
                return body, properties.correlation_id, properties.content_type, properties.reply_to, properties.headers

        assert await asyncio.to_thread(ask) == (b"13", "their own", "application/json", None, None)


async def test_a_client_that_gives_ids_of_the_greatest_length_is_answered(url: str) -> None:
    async with fibonacci(url).serve("worker"):

        def ask() -> bytes:
            with PikaClient(url) as asking:
                return asking.call("rpc_queue", b"7", correlation_id="c" * 255, message_id="m" * 255)

        assert await asyncio.to_thread(ask) == b"13"


async def test_a_client_that_is_gone_is_no_harm(url: str) -> None:
    app = fibonacci(url)

    def leave() -> None:
        with PikaClient(url) as asking:
            for number in range(5):
                asking.ask("rpc_queue", str(number).encode())

    async with app:
        await asyncio.to_thread(leave)
        async with app.serve("worker"):

            def undeliverable() -> int:
                return app.meter.readings().answers.get(("rpc_queue", "undeliverable"), 0)

            async with asyncio.timeout(20):
                while undeliverable() < 5:
                    await asyncio.sleep(0.01)
        assert await stored_letters(app) == []


async def test_a_request_that_cannot_be_read_is_kept_and_its_sender_gets_no_answer(url: str) -> None:
    app = fibonacci(url)
    letters = letters_of(app)
    async with app.serve("worker"):
        asking = await asyncio.to_thread(PikaClient, url)
        known = await asyncio.to_thread(asking.ask, "rpc_queue", b'"seven"')
        letter = await letters.next()
        assert (letter.reason, letter.body) == ("invalid", b'"seven"')
        # Not from the worker, and not from the job that tells of the dead letter, which is a copy of it.
        assert await asyncio.to_thread(asking.answer, known, 0.5) is None
        await asyncio.to_thread(asking.__exit__)


async def test_a_failure_is_not_answered_and_not_kept(url: str) -> None:
    app = fibonacci(url)
    async with app.serve("worker"):

        def ask() -> tuple[object, bytes]:
            with PikaClient(url) as asking:
                failing = asking.ask("rpc_queue", b"-1")
                well = asking.call("rpc_queue", b"3")
                return asking.answer(failing, 0.2), well

        assert await asyncio.to_thread(ask) == (None, b"2")
        assert await stored_letters(app) == []


# --- we ask -------------------------------------------------------------------------------------


def clever(body: bytes) -> bytes:
    return json.dumps({"success": True, "result": {"dish": json.loads(body)["user_input"]}}).encode()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_server_of_the_tutorial_answers_us(url: str, kind: Kind) -> None:
    app = kitchen(url, kind)
    with PikaServer(url, "recipe_analysis_request", clever) as server:
        async with app:
            calls = (app.tasks["analyse"].call(f"soup {number}") for number in range(50))
            answers = await asyncio.gather(*calls)
            callback = app.session().calls.reply_queue
    assert answers == [{"success": True, "result": {"dish": f"soup {number}"}} for number in range(50)]
    assert {properties.reply_to for properties in server.seen} == {callback}
    assert len({properties.correlation_id for properties in server.seen}) == 50


@pytest.mark.parametrize("kind", KINDS)
async def test_a_request_is_exactly_what_the_contract_says(url: str, pika: PikaProgram, kind: Kind) -> None:
    app = kitchen(url, kind)
    async with app:
        began = time.time()
        call = asyncio.create_task(app.tasks["analyse"].options(deadline=100, id="0b4a").call("soup"))
        seen = await pika.take_meanwhile("recipe_analysis_request")
        properties = seen.properties
        assert seen.json == {"user_input": "soup"}
        assert (properties.content_type, properties.delivery_mode) == ("application/json", 2)
        assert (properties.correlation_id, properties.reply_to) == ("0b4a", app.session().calls.reply_queue)
        assert 100_000 - (time.time() - began) * 1000 - 50 <= int(properties.expiration) <= 100_000
        assert (seen.method.exchange, seen.method.routing_key) == ("", "recipe_analysis_request")
        pika.send(properties.reply_to, {"success": True, "result": {}}, correlation_id=properties.correlation_id)
        assert await call == {"success": True, "result": {}}


async def test_the_callback_queue_of_the_contract_is_made_once_with_one_consumer(
    url: str, broker: Management, virtual_host: str
) -> None:
    app = kitchen(url, "exclusive")
    with PikaServer(url, "recipe_analysis_request", clever):
        async with app:
            for _ in range(3):
                await app.tasks["analyse"].call("soup")
            name = app.session().calls.reply_queue
            found = await asyncio.to_thread(broker.ask, "GET", f"queues/{virtual_host}/{name}")
            queues = await asyncio.to_thread(broker.ask, "GET", f"queues/{virtual_host}?disable_stats=true")
            assert (found["exclusive"], found["auto_delete"], found["durable"]) == (True, True, False)
            assert [each["name"] for each in queues if each["name"].startswith("amq.")] == [name]


async def test_a_server_that_echoes_our_headers_is_understood_also_when_it_is_late(url: str) -> None:
    app = kitchen(url)
    analyse = app.tasks["analyse"]
    held = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(body: bytes) -> bytes:
        asyncio.run_coroutine_threadsafe(held.wait(), loop).result(20)
        return clever(body)

    with PikaServer(url, "recipe_analysis_request", slow, echoes=True):
        async with app:
            with pytest.raises(CallTimeout):
                await analyse.options(deadline=0.5).call("soup")
            held.set()
            assert await analyse.options(deadline=20).call("stew") == {"success": True, "result": {"dish": "stew"}}
            assert app.meter.readings().strays == {"late": 1}, "the late one is taken, counted and dropped"


@pytest.mark.parametrize("answer", [b"\xff\xfe", b"not JSON", b"[1, 2]", b""])
async def test_an_answer_that_nobody_can_read_is_a_failure(url: str, answer: bytes) -> None:
    app = kitchen(url)
    with PikaServer(url, "recipe_analysis_request", lambda _body: answer):
        async with app:
            with pytest.raises(JobFailed, match="not what 'analyse' returns"):
                await app.tasks["analyse"].call("soup")


@pytest.mark.parametrize("kind", KINDS)
async def test_strange_answers_are_counted_and_dropped(url: str, pika: PikaProgram, kind: Kind) -> None:
    app = kitchen(url, kind)
    with PikaServer(url, "recipe_analysis_request", clever):
        async with app:
            await app.tasks["analyse"].call("soup")
            name = app.session().calls.reply_queue
            assert name is not None
            pika.send(name, b"\xff", correlation_id="never asked")
            pika.send(name, b"no properties at all")
            pika.send(name, {}, correlation_id="x", headers={"gh-expires": 1, "gh-due": 2**60})
            await app.tasks["analyse"].call("stew")
            assert app.meter.readings().strays == {"foreign": 3}


async def test_a_queue_that_was_deleted_is_unavailable_and_not_a_time_out(url: str, pika: PikaProgram) -> None:
    app = kitchen(url)
    async with app:
        pika.channel.queue_delete("recipe_analysis_request")
        began = time.monotonic()
        with pytest.raises(Unavailable, match="no queue 'recipe_analysis_request'"):
            await app.tasks["analyse"].options(deadline=20).call("soup")
        assert time.monotonic() - began < 10


async def test_a_request_that_nobody_takes_is_gone_with_its_deadline(url: str, pika: PikaProgram) -> None:
    app = kitchen(url)
    async with app:
        with pytest.raises(CallTimeout):
            await app.tasks["analyse"].options(deadline=0.3).call("soup")
        async with asyncio.timeout(10):
            while pika.channel.queue_declare("recipe_analysis_request", passive=True).method.message_count:
                await asyncio.sleep(0.02)
        assert await stored_letters(app) == []
