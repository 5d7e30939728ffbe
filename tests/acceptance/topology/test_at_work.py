"""Everything is mended while a worker takes jobs: it pauses and goes on, and each job is done."""

import time
from pathlib import Path

import pytest

from tests.acceptance.topology.ground import PATIENCE, Ground

# All of it with fewer messages, and step by step, is part of the short run elsewhere.
pytestmark = [pytest.mark.chaos, pytest.mark.servers("rabbitmq", "taskiq"), pytest.mark.xdist_group("accidents")]

WAITING, RATE = 5_000, 200.0


def test_a_worker_pauses_and_goes_on(ground: Ground) -> None:
    of_taskiq = ground.let_old_taskiq_in(50)
    with ground.publishing(WAITING, RATE) as publisher, ground.taking() as taken:
        ground.apply()
        accepted, refused = publisher.end()
        assert refused == []
        wait_until_done(taken, {*of_taskiq, *accepted})
    assert ground.plan(code=0) == []


def wait_until_done(taken: Path, jobs: set[str]) -> None:
    until = time.monotonic() + PATIENCE
    while (left := jobs - set(taken.read_text().split())) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left, f"{len(left)} of {len(jobs)} were not done"
