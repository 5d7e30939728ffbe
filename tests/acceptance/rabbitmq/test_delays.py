"""Delayed jobs on RabbitMQ are never early, hardly late, and do not hold each other up."""

import asyncio
import json
import time
from typing import Literal
from urllib.parse import quote

import pytest

from goatherd import Goatherd
from goatherd.definition import definition_of
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.model.dead_letter import DeadLetter, LetterFilter
from goatherd.model.definitions_json import write_definitions
from goatherd.roles import working
from scripts.servers.addresses import management
from tests.acceptance.rabbitmq.punctuality import Arrival, Punctuality, some_delays

pytestmark = pytest.mark.servers


def too_late(arrivals: list[Arrival], share: float, seconds: float, noise: float) -> list[Arrival]:
    return [each for each in arrivals if each.late > max(share * each.asked, seconds) + noise]


async def test_a_short_delay_is_not_held_up_by_a_long_one(broker_url: str) -> None:
    app = Goatherd("delays", broker_url=broker_url)
    watch = Punctuality(app=app)
    async with app.serve("worker"):
        await app.tasks["note"].options(delay=60).send()
        [arrival] = await watch.measure([0.2], patience=20)
    assert not arrival.early
    assert arrival.late <= 0.25 * 0.2 + 0.2 + watch.noise


async def test_a_thousand_random_delays_are_never_early_and_hardly_late(broker_url: str) -> None:
    app = Goatherd("delays", broker_url=broker_url, concurrency=100)
    watch = Punctuality(app=app)
    async with app.serve("worker"):
        arrivals = await watch.measure(some_delays(1_000, 0.05, 10.0, seed=5), patience=40)
    assert [each for each in arrivals if each.early] == []
    late = [each for each in arrivals if each.late > 0.25 * each.asked + 0.2 + watch.noise]
    assert late == [], f"later than a quarter and 0.2 s, with a noise of {watch.noise:.3f} s"


async def test_where_nothing_may_be_made_sixteen_hold_queues_are_enough_for_all_delays(
    broker_url: str, virtual_host: str
) -> None:
    app = Goatherd("delays", broker_url=broker_url, declare="check", concurrency=100)
    watch = Punctuality(app=app)
    made = make_all(app)
    async with app.serve("worker"):
        arrivals = await watch.measure(some_delays(300, 0.05, 3.0, seed=7), patience=40)
    assert [each for each in arrivals if each.early] == []
    late = [each for each in arrivals if each.late > max(0.25 * each.asked, 0.1) + 0.2 + watch.noise]
    assert late == [], f"later than a quarter and 0.2 s, with a noise of {watch.noise:.3f} s"
    there = {queue["name"] for queue in management().ask("GET", f"queues/{quote(virtual_host)}")}
    assert {name for name in there if name.startswith("delays.hold.v1.")} == made
    assert len(made) == 16


@pytest.mark.chaos
@pytest.mark.parametrize("mode", ["create", "check"])
async def test_long_delays_are_at_most_two_per_cent_or_two_seconds_late(
    broker_url: str, mode: Literal["create", "check"]
) -> None:
    app = Goatherd("delays", broker_url=broker_url, declare=mode, concurrency=100)
    watch = Punctuality(app=app)
    if mode == "check":
        make_all(app)
    async with app.serve("worker"):
        arrivals = await watch.measure(some_delays(200, 11.0, 40.0, seed=6), patience=90)
    assert [each for each in arrivals if each.early] == []
    assert too_late(arrivals, 0.02, 2.0, watch.noise) == []


async def test_delayed_jobs_whose_queue_was_deleted_are_dead_letters_and_hold_up_no_other(
    broker_url: str, virtual_host: str
) -> None:
    app = Goatherd("delays", broker_url=broker_url)
    begun: asyncio.Queue[float] = asyncio.Queue()

    @app.task(queue="gone")
    async def lost() -> None: ...

    @app.task(queue="stays")
    async def kept() -> None:
        begun.put_nowait(time.time())

    async with app, working(app, queues=["stays"]):
        jobs = await app.send_many(lost.options(delay=1).job() for _ in range(100))
        # In the same hold queue, behind them.
        await kept.options(delay=1).send()
        due = time.time() + 1
        await asyncio.to_thread(management().ask, "DELETE", f"queues/{quote(virtual_host)}/gone")
        late = await asyncio.wait_for(begun.get(), 20) - due
        found = await letters_of(app, len(jobs))
    assert late < 3, "behind messages that had nowhere to go"
    assert {letter.job_id for letter in found} == set(jobs)
    assert {(letter.queue, letter.reason, letter.task) for letter in found} == {("gone", "rejected", "lost")}
    assert "its queue was deleted" in found[0].message


def make_all(app: Goatherd) -> set[str]:
    """Make what the app's definition says, as operators do; tells the names of its hold queues."""
    blueprint = definition_of(app).blueprint
    management().ask("POST", "definitions", json.loads(write_definitions(blueprint)))
    return {queue.name for queue in blueprint.queues if queue.name.startswith(f"{app.name}.hold.v1.")}


async def letters_of(app: Goatherd, count: int) -> list[DeadLetter]:
    letters = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
    async with asyncio.timeout(30):
        while len(found := [letter async for letter in letters.find(LetterFilter())]) < count:
            await asyncio.sleep(0.1)
    return found
