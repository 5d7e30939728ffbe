import os
from pathlib import Path

import pytest

from benchmarks.measures import Plan
from benchmarks.rabbitmq.server import Server
from benchmarks.rounds import measure
from benchmarks.settings import SETTINGS, Entry
from scripts.servers.addresses import MANAGEMENT_URL, amqp_url

pytestmark = pytest.mark.servers

SHORT = Plan(seconds=0.05, repeat=1, beats=3)


@pytest.mark.parametrize("setting", ["rabbitmq", "rabbitmq_classic"])
async def test_a_round_on_rabbitmq_gives_every_figure(setting: str, tmp_path: Path) -> None:
    entry = Entry(setting=setting, name="goatherd")
    with Server(amqp_url(), os.environ[MANAGEMENT_URL]).virtual_host(tmp_path):
        sample = await measure(entry, entry.load(), tmp_path, SHORT)
    rates = {"one_by_one", "at_once", "batch", "enqueue", "drain", "drain_cpu", "idle_cpu"}
    assert set(sample) == rates | {"latencies"}
    assert all(isinstance(value, float) and value > 0 for key, value in sample.items() if key in rates)
    assert isinstance(sample["latencies"], list)
    assert len(sample["latencies"]) == SHORT.beats


async def test_the_bare_link_does_what_the_floor_does(tmp_path: Path) -> None:
    entry = Entry(setting="rabbitmq_bare", name="goatherd_link")
    room = tmp_path / "room"
    room.mkdir()
    with Server(amqp_url(), os.environ[MANAGEMENT_URL]).virtual_host(room):
        sample = await measure(entry, entry.load(), room, SHORT)
    assert set(sample) == {"publish", "publish_cpu", "consume", "consume_cpu", "latencies"}


# Those whose packages the tests have anyway.
DIALOGUES = sorted(set(SETTINGS["rabbitmq_rpc"].names) - {"faststream"})


@pytest.mark.parametrize("name", DIALOGUES)
async def test_every_dialogue_gives_right_answers_and_every_figure(name: str, tmp_path: Path) -> None:
    entry = Entry(setting="rabbitmq_rpc", name=name)
    with Server(amqp_url(), os.environ[MANAGEMENT_URL]).virtual_host(tmp_path):
        sample = await measure(entry, entry.load(), tmp_path, SHORT)
    figures = {"calls", "caller_cpu", "server_cpu"}
    assert set(sample) == figures | {"call_latencies"}
    assert all(isinstance(value, float) and value > 0 for key, value in sample.items() if key in figures)
    assert isinstance(sample["call_latencies"], list)
    assert len(sample["call_latencies"]) >= SHORT.beats
