"""`declare`: make what is missing, check that all is there, or do neither."""

import asyncio
from typing import Any, Literal

import pytest

from goatherd import Goatherd, Unavailable
from goatherd.errors import TopologyMismatch
from goatherd.model.message import Message
from scripts.servers.management import Management
from tests.docs.markdown import DOCS, blocks
from tests.interop.pika_program import PikaProgram
from tests.interop.stage import Told, stored_letters

pytestmark = pytest.mark.servers

Mode = Literal["create", "check", "never"]


def shop(url: str, declare: Mode, told: Told | None = None, **queue: Any) -> Goatherd:
    app = Goatherd("shop", broker_url=url, declare=declare)

    @app.task(queue=app.queue("orders", format="plain", **queue))
    async def cook(dish: str) -> None:
        if told is not None:
            told(dish)

    return app


def everything_on(broker: Management, virtual_host: str) -> set[str]:
    """The names of all queues, exchanges and bindings that did not come with the broker."""
    found = {f"queue {queue['name']}" for queue in broker.ask("GET", f"queues/{virtual_host}?disable_stats=true")}
    for exchange in broker.ask("GET", f"exchanges/{virtual_host}"):
        if exchange["name"] and not exchange["name"].startswith("amq."):
            found.add(f"exchange {exchange['name']}")
    for binding in broker.ask("GET", f"bindings/{virtual_host}"):
        if binding["source"]:
            found.add(f"{binding['source']} -> {binding['destination']} {binding['routing_key']}")
    return found


@pytest.mark.parametrize("mode", ["check", "never"])
async def test_nothing_is_made(url: str, broker: Management, virtual_host: str, mode: Mode, pika: PikaProgram) -> None:
    app = shop(url, mode)
    pika.channel.queue_declare("orders", durable=True)
    try:
        async with app.serve("worker"):
            await app.tasks["cook"].send("soup")
    except Unavailable:
        assert mode == "check"
    assert everything_on(broker, virtual_host) == {"queue orders"}


async def test_check_names_everything_that_is_missing(url: str) -> None:
    with pytest.raises(Unavailable) as caught:
        async with shop(url, "check"):
            pass
    for name in ("shop.dead.v1", "shop.hold.v1", "shop.due.v1", "orders"):
        assert f"'{name}'" in str(caught.value)
    assert "GOATHERD_DECLARE=create" in str(caught.value)


@pytest.mark.parametrize("mode", ["check", "never"])
async def test_what_an_operator_made_is_enough_to_work(
    url: str, broker: Management, virtual_host: str, mode: Mode
) -> None:
    async with shop(url, "create"):
        made = everything_on(broker, virtual_host)
    told = Told()
    app = shop(url, mode, told)
    async with app.serve("worker"):
        await app.tasks["cook"].send("soup")
        assert await told.next() == "soup"
    assert everything_on(broker, virtual_host) == made


async def test_check_refuses_a_queue_that_differs(url: str) -> None:
    async with shop(url, "create"):
        pass
    with pytest.raises(TopologyMismatch, match=r"'orders' exists with ttl \(x-message-ttl\) = None"):
        async with shop(url, "check", ttl=60):
            pass
    async with shop(url, "never", ttl=60):
        pass


async def test_create_changes_nothing_that_is_there(url: str, broker: Management, virtual_host: str) -> None:
    async with shop(url, "create"):
        made = everything_on(broker, virtual_host)
    with pytest.raises(TopologyMismatch):
        async with shop(url, "create", max_length=3):
            pass
    assert everything_on(broker, virtual_host) == made
    [arguments] = [
        queue["arguments"] for queue in broker.ask("GET", f"queues/{virtual_host}") if queue["name"] == "orders"
    ]
    assert arguments == {}


@pytest.mark.parametrize("mode", ["check", "never"])
async def test_a_delay_needs_its_hold_queue(url: str, mode: Mode) -> None:
    async with shop(url, "create"):
        pass
    app = shop(url, mode)
    async with app:
        with pytest.raises(Unavailable, match=r"no queue 'shop\.hold\.v1\.200'"):
            await app.tasks["cook"].options(delay=0.2).send("soup")
    async with (made := shop(url, "create")):
        await made.tasks["cook"].options(delay=0.2).send("soup")
    told = Told()
    async with (app := shop(url, mode, told)).serve("worker"):
        await app.tasks["cook"].options(delay=0.2).send("bread")
        assert [await told.next(), await told.next()] == ["soup", "bread"]


def rights_in_the_docs() -> list[dict[str, str]]:
    """What operators are told to allow: first those who make what is missing, then those who only work."""
    told = [block.text for block in blocks(DOCS / "howto" / "rabbitmq.md") if block.text.startswith("configure ")]
    return [dict(line.split(maxsplit=1) for line in text.splitlines()) for text in told]


MAKES, WORKS = rights_in_the_docs()


@pytest.mark.parametrize(("mode", "rights"), [("check", WORKS), ("never", WORKS), ("create", MAKES)])
async def test_what_a_user_may_do_can_be_limited(
    url: str, broker: Management, virtual_host: str, mode: Mode, rights: dict[str, str]
) -> None:
    """What production looks like: one account makes things, and another works."""
    if mode != "create":
        async with (made := shop(url, "create")):
            await made.tasks["cook"].options(delay=0.1).send("soup")
    user = f"worker-{virtual_host}"
    broker.ask("PUT", f"users/{user}", {"password": "secret", "tags": ""})
    try:
        broker.allow(virtual_host, user, **rights)
        told = Told()
        app = shop(url.replace("guest:guest", f"{user}:secret"), mode, told)
        async with app.serve("worker"):
            await app.tasks["cook"].options(delay=0.1).send("bread")
            while await told.next() != "bread":
                pass
            await app.session().ports.broker.publish([Message(id="odd", queue="orders", body=b"no JSON")])
            async with asyncio.timeout(10):
                while not (letters := await stored_letters(app)):
                    await asyncio.sleep(0.02)
            assert letters[0].reason == "unparsable"
    finally:
        broker.ask("DELETE", f"users/{user}")


async def test_calls_work_for_a_user_that_may_only_do_what_they_need(
    url: str, broker: Management, virtual_host: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Giving up is the only thing that needs more, and without it a call is simply done to its end."""
    caplog.set_level("INFO", "goatherd.rabbitmq")
    user = f"caller-{virtual_host}"
    broker.ask("PUT", f"users/{user}", {"password": "secret", "tags": ""})
    try:
        own = r"^shop($|\.)"
        broker.allow(virtual_host, user, configure=own, write=rf"amq\.default$|{own}", read=own)
        app = Goatherd("shop", broker_url=url.replace("guest:guest", f"{user}:secret"))
        going_on, end = asyncio.Event(), asyncio.Event()

        @app.task
        async def ask(wait: bool) -> str:
            if wait:
                going_on.set()
                await end.wait()
            return "answer"

        async with app.serve("worker"):
            assert await ask.call(wait=False) == "answer"
            given_up = asyncio.create_task(ask.call(wait=True))
            await asyncio.wait_for(going_on.wait(), 20)
            given_up.cancel()
            assert [await ask.call(wait=False) for _ in range(3)] == ["answer"] * 3
            end.set()
    finally:
        broker.ask("DELETE", f"users/{user}")
    told = [record.message for record in caplog.records if "given up" in record.message]
    assert len(told) == 2, "once by the worker and once by the caller"
