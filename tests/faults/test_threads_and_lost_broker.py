"""Threads of one program that send and call while their broker is killed and started again."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from goatherd import Goatherd
from goatherd.errors import CallTimeout, Unavailable
from goatherd.sync import blocking
from scripts.servers.rabbitmq import RabbitMQ

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("harmed broker")]

THREADS = 50


@pytest.fixture
def app(amqp_url: str) -> Iterator[Goatherd]:
    # A quorum queue this young would be forgotten by a broker that is killed.
    opened = Goatherd("threads", broker_url=amqp_url, publish_deadline=30, queue_type="classic")

    @opened.task
    async def double(number: int) -> int:
        return 2 * number

    yield opened
    blocking(opened).close()


def crowd(work: Callable[[int], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    return threads


@pytest.mark.timeout(180)
def test_what_fifty_threads_sent_is_there_after_the_broker_was_killed(app: Goatherd, rabbitmq: RabbitMQ) -> None:
    double = blocking(app.tasks["double"])
    stopping = threading.Event()
    accepted, told = Counter[int](), Counter[str]()
    slowest = [0.0] * THREADS

    def send(number: int) -> None:
        while not stopping.is_set():
            began = time.monotonic()
            try:
                double.send(number)
                accepted[number] += 1
            except Unavailable as error:
                told[type(error).__name__] += 1
            slowest[number] = max(slowest[number], time.monotonic() - began)

    double.send(0)
    threads = crowd(send)
    while len(accepted) < THREADS:
        time.sleep(0.01)
    rabbitmq.kill()
    rabbitmq.start()
    before = accepted.copy()
    give_up = time.monotonic() + 60
    while not all(accepted[number] > before[number] for number in range(THREADS)):
        assert time.monotonic() < give_up, "some threads do not send again"
        time.sleep(0.01)
    stopping.set()
    for thread in threads:
        thread.join(40)
    assert not [thread for thread in threads if thread.is_alive()], "a verb hangs"
    assert max(slowest) < 31, "the publish deadline and a second"
    # The connection that is asked about queues may come back after the one that sends.
    while "threads" not in (queues := blocking(app).health().queues):
        assert time.monotonic() < give_up + 30, "the queues cannot be seen again"
        time.sleep(0.05)
    # A publish whose confirm was lost was sent again, so there may be more.
    assert queues["threads"].depth >= sum(accepted.values()) + 1


@pytest.mark.timeout(180)
def test_calls_of_threads_survive_a_broker_that_was_killed(app: Goatherd, rabbitmq: RabbitMQ) -> None:
    @app.task
    async def gated(number: int) -> int:
        begun.release()
        await asyncio.to_thread(opened.wait)
        return number + 1000

    begun, opened = threading.Semaphore(0), threading.Event()
    answers: dict[int, object] = {}

    def call(number: int) -> None:
        try:
            answers[number] = blocking(gated).options(deadline=60).call(number)
        except (CallTimeout, Unavailable) as error:
            answers[number] = error

    with blocking(app).serve("worker"):
        threads = crowd(call)
        for _ in range(16):
            assert begun.acquire(timeout=30)
        rabbitmq.kill()
        rabbitmq.start()
        opened.set()
        for thread in threads:
            thread.join(70)
    assert answers == {number: number + 1000 for number in range(THREADS)}
