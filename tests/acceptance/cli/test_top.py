"""`goatherd top`: once for people and programs, and live with keys; a server that is away stops nothing."""

import json
from pathlib import Path
from signal import Signals

import pytest

from scripts.servers.redis import Redis, ensure_redis
from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.stage import Stage
from tests.acceptance.cli.terminal import terminal

MORE = """

@app.every(3600)
async def sweep() -> None: ...

@app.task(key="post")
async def comment(post: int) -> None: ...
"""


def add_more(stage: Stage) -> None:
    with (stage.folder / "shop.py").open("a", encoding="utf-8") as file:
        file.write(MORE)


def test_one_look(stage: Stage) -> None:
    add_more(stage)
    stage.send("greet", "name=Ada")
    told = stage.inside("top", "shop:app", "--once").splitlines()
    [line] = [line for line in told if line.startswith("shop ") and "://" not in line]
    assert line.split()[1] == "1"
    assert all(len(line) <= 80 for line in told if not line.startswith("!"))
    assert any(line.startswith("sweep") and " in " in line for line in told)
    look = json.loads(stage.inside("top", "shop:app", "--once", "--json"))
    [shop] = [queue for queue in look["queues"] if queue["name"] == "shop"]
    assert (shop["ready"], shop["growing_per_second"]) == (1, 0)
    assert [each["name"] for each in look["schedules"]] == ["sweep"]
    assert look["held_lanes"] == 0
    assert {(each["lanes"], each["oldest"]) for each in look["lane_waits"]} == {(0, 0)}


@embedded
def test_live_with_keys(stage: Stage) -> None:
    add_more(stage)
    with terminal(stage, "top", "shop:app") as screen:
        screen.see("by name")
        stage.send("greet", "name=Ada")
        picture = screen.see("+")
        assert [line.split()[1] for line in picture.splitlines() if line.startswith("shop  ") and "://" not in line]
        screen.press("s")
        screen.see("by ready")
        screen.press("p")
        screen.see("p go on")
        screen.resize(12, 50)
        narrow = screen.see("takers", without="delayed").splitlines()
        assert max(len(line.rstrip()) for line in narrow) <= 50
        screen.press("\x1b[A")
        screen.press("q")
        assert screen.end() == 0


@embedded
def test_one_that_is_told_to_end_leaves_the_terminal_as_it_was(stage: Stage) -> None:
    with terminal(stage, "top", "shop:app") as screen:
        screen.see("takers")
        screen.tell(Signals.SIGTERM)
        assert screen.end() == 0


@embedded
def test_a_terminal_that_cannot_be_drawn_on(stage: Stage) -> None:
    with terminal(stage, "top", "shop:app", kind="dumb") as screen:
        screen.read("takers")
        screen.tell(Signals.SIGINT)
        assert screen.end() == 0


@embedded
def test_a_server_that_is_not_there_is_told(stage: Stage) -> None:
    stage.environment |= {"GOATHERD_BROKER_URL": "amqp://127.0.0.1:1"}
    told = stage.inside("top", "shop:app", "--once", code=1)
    assert "! queues not seen yet" in told
    assert "queues: nothing is known" in told
    assert json.loads(stage.inside("top", "shop:app", "--once", "--json", code=1))["queues"] is None


@embedded
@pytest.mark.servers("redis")
def test_a_frozen_server_stops_nothing_else(stage: Stage, tmp_path: Path) -> None:
    add_more(stage)
    ensure_redis()
    with Redis(tmp_path / "redis") as redis:
        stage.environment |= {"GOATHERD_LANES_URL": redis.url}
        with terminal(stage, "top", "shop:app") as screen:
            screen.see("sweep")
            redis.freeze()
            picture = screen.see("! lanes")
            assert "sweep" in picture
            screen.press("q")
            assert screen.end() == 0
        redis.thaw()
