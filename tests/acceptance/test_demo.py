"""The demo keeps every promise that it shows, on each broker."""

import pytest

from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.acceptance.cli.stage import Stage


def play(stage: Stage, *options: str) -> str:
    demo = stage.start("demo", "--once", *options)
    assert demo.end(patience=120) == 0, demo.heard
    return demo.heard


@pytest.mark.timeout(180)
def test_every_scene_plays_on_one_file(stage: Stage) -> None:
    told = play(stage)
    assert "21 promises, all kept" in told
    assert "ran on one SQLite file" in told


@pytest.mark.chaos
@pytest.mark.servers
@pytest.mark.timeout(360)
def test_every_scene_plays_on_rabbitmq_by_one_setting(stage: Stage) -> None:
    with management().virtual_host() as virtual_host:
        url = with_virtual_host(amqp_url(), virtual_host)
        told = play(stage, "--broker", url)
        assert "21 promises, all kept" in told
        # Once more on the same broker: what the first left behind is in nobody's way.
        assert "21 promises, all kept" in play(stage, "--broker", url)
    assert "amqp://guest:***@" in told


def test_a_broker_that_is_away_is_told_in_a_sentence(stage: Stage) -> None:
    error = stage.run("demo", "--once", "--broker", "amqp://127.0.0.1:1/", code=1).stderr
    assert error.startswith("Error: The broker at amqp://127.0.0.1:1/ cannot be reached")
