"""From the sender to the broker: checked, stamped, published."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from goatherd import Goatherd, Unavailable
from goatherd.engine import enqueue
from goatherd.engine.enqueue import Sender
from goatherd.engine.means import Means
from goatherd.errors import InvalidArguments
from goatherd.model.message import Message
from goatherd.ports.telemetry import Silent
from tests.unit.engine.stage import HandClock


class Pigeon:
    """A broker that only takes messages; some it refuses."""

    def __init__(self) -> None:
        self.taken: list[list[str]] = []
        self.messages: list[Message] = []
        self.refuse_from = 1_000_000
        self.asleep = False

    async def publish(self, messages: Sequence[Message]) -> None:
        if self.asleep:
            await asyncio.Event().wait()
        if len(self.taken) >= self.refuse_from:
            raise Unavailable("away", jobs=[message.id for message in messages[1:]])
        self.taken.append([message.id for message in messages])
        self.messages += messages


@pytest.fixture
def pigeon() -> Pigeon:
    return Pigeon()


def sender_of(pigeon: Any, clock: Any) -> Sender:
    async def no_lanes() -> Any:
        raise AssertionError("no job here has a lane")

    return Sender(Means(broker=pigeon, courier=pigeon, clock=clock, telemetry=Silent()), no_lanes)


def sender(pigeon: Any, deadline: float = 10.0) -> Sender:
    return sender_of(pigeon, HandClock())


async def test_many_jobs_go_in_batches_and_in_order(
    app: Goatherd, pigeon: Pigeon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enqueue, "BATCH", 4)

    @app.task
    async def work(number: int) -> None: ...

    jobs = [work.job(number) for number in range(10)]
    ids = await sender(pigeon).send_many(jobs)
    assert ids == [job.id for job in jobs]
    assert pigeon.taken == [ids[:4], ids[4:8], ids[8:]]


async def test_the_first_refusal_ends_it_and_tells_which_jobs_were_not_accepted(
    app: Goatherd, pigeon: Pigeon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enqueue, "BATCH", 3)
    pigeon.refuse_from = 1

    @app.task
    async def work() -> None: ...

    jobs = [work.options(id=f"j{number}").job() for number in range(8)]
    with pytest.raises(Unavailable) as caught:
        await sender(pigeon).send_many(jobs)
    assert pigeon.taken == [["j0", "j1", "j2"]]
    assert caught.value.jobs == ("j4", "j5", "j6", "j7")


async def test_nothing_is_sent_for_no_jobs(pigeon: Pigeon) -> None:
    assert await sender(pigeon).send_many([]) == []
    assert pigeon.taken == []


async def test_a_job_carries_what_was_said_about_it(app: Goatherd, pigeon: Pigeon) -> None:
    clock = HandClock()

    @app.task(queue="mail", priority=3, deadline=60)
    async def send_mail(to: str) -> None: ...

    mailer = sender_of(pigeon, clock)
    await mailer.send(send_mail.options(id="j1", delay=5, priority=0, deadline=30).job("a@b.c"))
    await mailer.send(send_mail.options(id="j2").job(to="a@b.c"))
    first, second = pigeon.messages
    assert (first.id, first.queue, first.task, first.priority) == ("j1", "mail", "send_mail", 0)
    assert (first.due, first.expires) == (clock.now() + 5, clock.now() + 30)
    assert (second.priority, second.due, second.expires) == (3, None, clock.now() + 60)
    body = json.loads(first.body)
    assert (body["v"], body["task_id"], body["step"], body["trace_id"]) == (1, "j1", "send_mail", "j1")
    assert body["payload"] == {"to": "a@b.c"}


async def test_arguments_over_the_limit_are_refused_with_their_size(make_app: Any) -> None:
    app = make_app(payload_limit=1000)

    @app.task
    async def work(text: str) -> None: ...

    work.job("x" * (1000 - len('{"text":""}')))
    with pytest.raises(InvalidArguments, match=r"take 1,001 bytes, but at most 1,000.*GOATHERD_PAYLOAD_LIMIT"):
        work.job("x" * (1001 - len('{"text":""}')))


async def test_a_mebibyte_is_the_limit_by_default(app: Goatherd) -> None:
    @app.task
    async def work(text: str) -> None: ...

    work.job("x" * (1024 * 1024 - 11))
    with pytest.raises(InvalidArguments, match="1,048,577 bytes"):
        work.job("x" * (1024 * 1024 - 10))
