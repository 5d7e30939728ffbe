"""The command is killed again and again at moments that nobody chose, with messages waiting and coming in."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripts.servers.management import Management
from scripts.servers.rabbitmq import SHOVEL, RabbitMQ, ensure_rabbitmq
from tests.acceptance.topology.ground import Ground

pytestmark = [pytest.mark.chaos, pytest.mark.servers("rabbitmq", "taskiq")]

WAITING, RATE = 5_000, 200.0
#: Seconds after which one is killed, and how many are, at most.
SHORTEST, LONGEST, DEATHS = 0.7, 3.0, 30
SEEDS = range(3)


@pytest.fixture(params=["shovel", "own mover"])
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ground]:
    ensure_rabbitmq()
    plugins = SHOVEL if request.param == "shovel" else ()
    with (
        RabbitMQ(tmp_path / "broker", plugins=plugins) as broker,
        Management(broker.management_url).virtual_host() as virtual_host,
    ):
        yield Ground(virtual_host, tmp_path, broker)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("library", [Ground.let_old_taskiq_in, Ground.let_new_taskiq_in], ids=["0.4.4", "0.6"])
def test_nothing_is_lost(ground: Ground, seed: int, library: Callable[[Ground, int], list[str]]) -> None:
    chance = random.Random(seed)
    of_taskiq = library(ground, 50)
    with ground.publishing(WAITING, RATE) as publisher:
        for _ in range(DEATHS):
            if not ground.apply_and_die(chance.uniform(SHORTEST, LONGEST)):
                break
        ground.apply()
        accepted, refused = publisher.end()
    assert refused == []
    assert ground.take_all().keys() == {*of_taskiq, *accepted}
    assert ground.plan(code=0) == []
    assert [each.name for each in ground.live().queues if each.name.endswith((".swap.v1", ".paused.v1"))] == []
