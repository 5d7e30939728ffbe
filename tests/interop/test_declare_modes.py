"""`declare`: make what is missing, refuse to start unless all is as wanted, or do neither."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from goatherd import Goatherd, Unavailable
from goatherd.definition import definition_of
from goatherd.errors import TopologyMismatch
from goatherd.model.message import Message
from scripts.servers.management import Management
from tests.docs.markdown import DOCS, blocks
from tests.interop.declaring import NOWHERE, Mode, everything_on, make_all_of, refusal, shop
from tests.interop.pika_program import PikaProgram
from tests.interop.stage import Told, stored_letters

pytestmark = pytest.mark.servers


@pytest.fixture(autouse=True)
def _find_management(broker: Management, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOATHERD_MANAGEMENT_URL", broker.url)


@pytest.mark.parametrize("mode", ["check", "never"])
async def test_nothing_is_made(url: str, broker: Management, virtual_host: str, mode: Mode, pika: PikaProgram) -> None:
    app = shop(url, mode)
    pika.channel.queue_declare("orders", durable=True)
    if mode == "check":
        await refusal(app)
    else:
        async with app.serve("worker"):
            await app.tasks["cook"].send("soup")
    assert everything_on(broker, virtual_host) == {"queue orders"}


@pytest.mark.parametrize("mode", ["check", "never"])
async def test_what_an_operator_made_is_enough_to_work(
    url: str, broker: Management, virtual_host: str, mode: Mode
) -> None:
    told = Told()
    app = shop(url, mode, told)
    await make_all_of(app)
    made = everything_on(broker, virtual_host)
    async with app.serve("worker"):
        await app.tasks["cook"].send("soup")
        assert await told.next() == "soup"
        await app.tasks["cook"].options(delay=0.25).send("bread")
        assert await told.next() == "bread"
    assert everything_on(broker, virtual_host) == made


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


def policies(broker: Management, virtual_host: str) -> Mapping[str, Any]:
    return {each["name"]: each["definition"] for each in broker.ask("GET", f"policies/{virtual_host}")}


async def test_create_makes_missing_policies_and_alters_none(
    url: str, broker: Management, virtual_host: str, caplog: pytest.LogCaptureFixture
) -> None:
    def with_policy(length: int) -> Goatherd:
        app = shop(url, "create")
        app.topology.policy("most", "^orders$", {"max-length": length}, apply_to="queues")
        return app

    for length in (1000, 7):
        async with with_policy(length):
            assert policies(broker, virtual_host) == {"most": {"max-length": 1000}}
    assert "The policy 'most' differs" in caplog.text


async def test_create_starts_without_policies_where_it_cannot_make_them(
    url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOATHERD_MANAGEMENT_URL", NOWHERE)
    app = shop(url, "create")
    app.topology.policy("most", "^orders$", {"max-length": 1000}, apply_to="queues")
    async with app:
        assert "'most'" in caplog.text


async def test_what_was_created_is_as_wanted(url: str) -> None:
    """Whatever an app made for its work, no plan finds fault with it."""
    told = Told()
    app = shop(url, "create", told)
    app.topology.exchange("news", "fanout")
    app.topology.bind("news", "orders")

    @app.task(tracked=True)
    async def count(number: int) -> int:
        return number + 1

    async def regions() -> list[str]:
        return ["eu"]

    @app.listeners("match-{}", regions)
    async def match(region: str, player: int) -> None:
        told(region)

    @app.every(3600)
    async def rest() -> None: ...

    async with app.serve("worker", "scheduler", "router"):
        assert await count.call(1) == 2
        assert await (await count.start(1)).result() == 2
        await match.send("eu", 7)
        assert await told.next() == "eu"
        await app.tasks["cook"].options(delay=0.1).send("soup")
        assert await told.next() == "soup"
        plumbing = app.session().ports.plumbing
        assert plumbing is not None
        definition = definition_of(app)
        assert not definition.differences(await plumbing.survey(definition.blueprint))
        [watch] = app.drift_watches
        async with asyncio.timeout(30):
            while not watch.counts:
                await asyncio.sleep(0.02)
        assert 'goatherd_topology_drift{change="replace queue"} 0.0' in app.metrics()


@pytest.mark.parametrize("mode", ["check", "never"])
async def test_a_delay_needs_its_hold_queue(url: str, mode: Mode, pika: PikaProgram) -> None:
    app = shop(url, mode)
    await make_all_of(app)
    async with app:
        pika.channel.queue_delete("shop.hold.v1.200")
        with pytest.raises(Unavailable, match=r"no queue 'shop\.hold\.v1\.200'"):
            await app.tasks["cook"].options(delay=0.2).send("soup")
    await make_all_of(app)
    told = Told()
    async with (app := shop(url, mode, told)).serve("worker"):
        await app.tasks["cook"].options(delay=0.2).send("bread")
        assert await told.next() == "bread"


def rights_in_the_docs() -> list[dict[str, str]]:
    """What operators are told to allow: first those who make what is missing, then those who only work."""
    told = [block.text for block in blocks(DOCS / "howto" / "rabbitmq.md") if block.text.startswith("configure ")]
    return [dict(line.split(maxsplit=1) for line in text.splitlines()) for text in told]


MAKES, WORKS = rights_in_the_docs()


@pytest.mark.parametrize(("mode", "rights"), [("check", WORKS), ("never", WORKS), ("create", MAKES)])
async def test_what_a_user_may_do_can_be_limited(
    url: str, broker: Management, virtual_host: str, mode: Mode, rights: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What production looks like: one account makes things, and another works."""
    if mode != "create":
        await make_all_of(shop(url, mode))
    user = f"worker-{virtual_host}"
    broker.ask("PUT", f"users/{user}", {"password": "secret", "tags": ""})
    # Without a user it is that of the broker's URL, who may not use it.
    monkeypatch.setenv("GOATHERD_MANAGEMENT_URL", broker.url.replace("guest:guest@", ""))
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
