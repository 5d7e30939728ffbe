"""Jobs of ours are messages that a plain pika program reads."""

import time
from datetime import datetime
from pathlib import Path

import pytest

from goatherd import Goatherd, Retry
from tests.docs.markdown import DOCS
from tests.docs.test_reference import rows
from tests.interop.pika_program import PikaProgram

pytestmark = pytest.mark.servers

WIRE_FORMAT: Path = DOCS / "reference" / "wire-format.md"


@pytest.fixture
def app(url: str) -> Goatherd:
    return Goatherd("shop", broker_url=url, retry=Retry(1, base=0.1))


async def test_a_plain_job_is_plain_json(app: Goatherd, pika: PikaProgram) -> None:
    @app.task(queue=app.queue("orders", format="plain"), remote=True)
    async def cook(dish: str, guests: int = 1) -> None:
        raise NotImplementedError

    async with app:
        job_id = await cook.options(id="order-7", priority=4).send("soup", guests=2)
        seen = pika.take("orders")
    told = seen.properties
    assert seen.json == {"dish": "soup", "guests": 2}
    assert (told.content_type, told.delivery_mode, told.message_id, told.type) == (
        "application/json",
        2,
        job_id,
        "cook",
    )
    assert (told.priority, told.headers, told.expiration, told.reply_to) == (4, None, None, None)
    assert time.time() - 60 < told.timestamp <= time.time()
    assert (seen.method.exchange, seen.method.routing_key, seen.method.redelivered) == ("", "orders", False)


async def test_a_native_job_is_the_envelope_that_the_reference_describes(app: Goatherd, pika: PikaProgram) -> None:
    @app.task
    async def cook(dish: str) -> None: ...

    async with app:
        job_id = await cook.options(deadline=60).send("soup")
        seen = pika.take("shop")
    told = seen.json
    assert set(told) <= set(rows(WIRE_FORMAT.read_text(encoding="utf-8")))
    assert {name: told[name] for name in ("v", "task_id", "step", "attempt", "trace_id", "payload")} == {
        "v": 1, "task_id": job_id, "step": "cook", "attempt": 1, "trace_id": job_id, "payload": {"dish": "soup"},
    }  # fmt: skip
    created, deadline = (datetime.fromisoformat(told[name]) for name in ("created_at", "deadline"))
    assert (deadline - created).total_seconds() == pytest.approx(60)
    assert (seen.properties.message_id, seen.properties.type) == (job_id, "cook")


async def test_headers_that_pika_sees_are_described(app: Goatherd, pika: PikaProgram) -> None:
    """Everything that we may put beside a body, on one message: delayed, with a deadline, after a failure."""

    @app.task
    async def cook(dish: str) -> None:
        raise ConnectionError("no gas")

    async with app:
        async with app.serve("worker"):
            await cook.options(deadline=60).send("soup")
            seen = await pika.take_meanwhile("shop.dead.v1")
        await cook.options(delay=0.1, deadline=60).send("bread")
        held = await pika.take_meanwhile("shop")
    described = set(rows(WIRE_FORMAT.read_text(encoding="utf-8")))
    ours = {name for name in {**seen.properties.headers, **held.properties.headers} if name.startswith("gh-")}
    assert ours >= {"gh-due", "gh-expires", "gh-failures", "gh-dead-reason"}
    assert ours - described == set()


async def test_a_delayed_job_comes_when_it_is_due(app: Goatherd, pika: PikaProgram) -> None:
    @app.task(queue=app.queue("orders", format="plain"), remote=True)
    async def cook(dish: str) -> None:
        raise NotImplementedError

    async with app:
        sent = time.time()
        await cook.options(delay=0.3).send("soup")
        seen = await pika.take_meanwhile("orders")
        assert time.time() - sent >= 0.3
        assert seen.json == {"dish": "soup"}


async def test_a_large_job_comes_whole(app: Goatherd, pika: PikaProgram) -> None:
    @app.task(queue=app.queue("orders", format="plain"), remote=True)
    async def cook(dish: str) -> None:
        raise NotImplementedError

    async with app:
        await cook.send("soup" * 200_000)
        assert pika.take("orders").json == {"dish": "soup" * 200_000}
