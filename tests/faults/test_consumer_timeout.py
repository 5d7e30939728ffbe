"""A job that runs longer than RabbitMQ waits for its ack: refused where it can be known, run once where it cannot."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd import Goatherd
from goatherd.adapters.rabbitmq.broker import RabbitBroker
from goatherd.errors import DefinitionError
from scripts.servers.rabbitmq import RabbitMQ
from tests.faults.arena import Arena
from tests.faults.herd import work
from tests.faults.history import History
from tests.faults.worker_logs import entries

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("harmed broker")]


@pytest.fixture
def impatient(rabbitmq: RabbitMQ) -> Iterator[None]:
    """A broker that takes back after a second what is not acked; it looks twice a second."""
    set_patience(rabbitmq, timeout=1_000, look=500)
    yield
    set_patience(rabbitmq, timeout=1_800_000, look=60_000)


def set_patience(rabbitmq: RabbitMQ, *, timeout: int, look: int) -> None:
    rabbitmq.control(
        "eval",
        f"application:set_env(rabbit, consumer_timeout, {timeout}), "
        f"application:set_env(rabbit, channel_tick_interval, {look}).",
    )


@pytest.mark.timeout(90)
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("queue_type", ["quorum", "classic"])
async def test_a_job_that_is_taken_back_while_it_runs_is_run_once_by_its_worker(
    tmp_path: Path, amqp_url: str, queue_type: str
) -> None:
    async with Arena(tmp_path, seed=1, broker_url=amqp_url, queue_type=queue_type) as arena, arena.app:  # type: ignore[arg-type]  # one of the two
        await arena.start_worker()
        jobs = await arena.app.send_many(work.job(milliseconds=milliseconds) for milliseconds in (5_000, 10, 10))
        await arena.at_rest(jobs)
        await arena.stop_workers()
        assert History.read(arena.journal).starts == dict.fromkeys(jobs, 1)
        [state] = await arena.app.session().ports.operations.queues()
        assert state.ready == 0, "the ack of the job reached the broker in the end"
        told = [entry["message"] for entry in entries(tmp_path) if "consumer_timeout" in entry["message"]]
        assert told
        assert "consumer_timeout of 1 s" in told[0]
        assert "shorter timeout=" in told[0]


async def test_a_worker_refuses_a_task_that_may_take_longer_than_the_broker_was_said_to_wait(amqp_url: str) -> None:
    app = Goatherd("patient", broker_url=amqp_url, consumer_timeout=600)

    @app.task(timeout=540)
    async def ten_minutes() -> None: ...

    with pytest.raises(DefinitionError, match=r"timeout below 540"):
        async with app.serve("worker"):
            await asyncio.sleep(0)


async def test_a_queue_with_a_time_limit_of_its_own_is_known(amqp_url: str) -> None:
    app = Goatherd("patient", broker_url=amqp_url)
    films = app.queue("films", arguments={"x-consumer-timeout": 7_200_000})

    @app.task(queue=films, timeout=3600)
    async def cut_film() -> None: ...

    async with app.serve("worker"):
        limit = app.session().ports.operations.hold_limit("films")
        assert limit is not None
        # Older brokers take the argument and do not mind it.
        broker = app.session().ports.broker
        assert isinstance(broker, RabbitBroker)
        minded = broker.asking.offers.consumer_timeout_by_queue
        assert (limit.seconds, limit.known) == ((7200, True) if minded else (1800, False))
