"""One command starts all programs and plays the whole story."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from examples.arcade.story.play import ON_SERVERS, SCENES
from examples.running.programs import TOP
from tests.acceptance.cli.stage import Running
from tests.docs.story import user_environment

ON_A_FILE = pytest.mark.xdist_group("arcade sqlite")


def play(*arguments: str) -> str:
    command = ["make", "-s", "example", "NAME=arcade", f"ARGS={' '.join(arguments)}"]
    ended = subprocess.run(
        command, cwd=TOP, env=user_environment(), timeout=280, check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.timeout(300)
@ON_A_FILE
def test_the_story_holds_on_files() -> None:
    assert f"{len(SCENES)} scenes, all held" in play("--once")


@pytest.mark.chaos
@pytest.mark.servers("rabbitmq", "redis", "postgres")
@pytest.mark.timeout(300)
@pytest.mark.xdist_group("arcade servers")
def test_the_story_holds_on_private_servers() -> None:
    assert f"{len(SCENES) + len(ON_SERVERS)} scenes, all held" in play("--servers", "--once")


@pytest.mark.chaos
@pytest.mark.timeout(120)
@ON_A_FILE
def test_the_hall_is_open_until_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.arcade", "--folder", str(tmp_path)]
    hall = Running(command, TOP, {**user_environment(), "ARCADE_PORT": "0"})
    try:
        url = hall.hear(r"The arcade is open at (http://\S+?);")[1]
        hall.hear(r"\d+ gifts of \d+, 4 who want to play")
        assert httpx2.get(f"{url}/healthz", timeout=20).status_code == 200
        assert "Streamers" in httpx2.get(url, timeout=20).text
        assert (
            httpx2.post(f"{url}/api/v1/gacha/none", json={"drawId": "d", "playerId": 1}, timeout=20).status_code == 404
        )
        assert httpx2.post(f"{url}/api/v1/gifts", json=[{"bcoin": 0}], timeout=20).status_code == 422
        hall.tell(signal.SIGINT)
        assert hall.end() == 0
    finally:
        hall.close()


@ON_A_FILE
def test_a_program_that_cannot_start_ends_all_with_its_words(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.arcade", "--folder", str(tmp_path)]
    environment = {**user_environment(), "ARCADE_PORT": "0", "JOBS_MATCHMAKING_FIXEDRATE": "soon"}
    ended = subprocess.run(command, cwd=TOP, env=environment, timeout=50, check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "did not start" in ended.stderr
    assert "JOBS_MATCHMAKING_FIXEDRATE is 'soon'" in ended.stderr
