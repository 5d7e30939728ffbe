"""One command starts all three programs and plays the whole story."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from examples.kitchen.story.play import SCENES
from examples.running.programs import TOP
from tests.acceptance.cli.stage import Running
from tests.docs.story import user_environment

ALL_HELD = f"{len(SCENES)} scenes, all held"


def play(*arguments: str) -> str:
    command = ["make", "-s", "example", "NAME=kitchen", f"ARGS={' '.join(arguments)}"]
    ended = subprocess.run(
        command, cwd=TOP, env=user_environment(), timeout=140, check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.timeout(150)
@pytest.mark.xdist_group("kitchen sqlite")
def test_the_story_holds_on_one_file() -> None:
    assert ALL_HELD in play("--once")


@pytest.mark.chaos
@pytest.mark.servers
@pytest.mark.timeout(150)
@pytest.mark.xdist_group("kitchen rabbitmq")
def test_the_story_holds_on_private_servers() -> None:
    assert ALL_HELD in play("--servers", "--once")


@pytest.mark.xdist_group("kitchen sqlite")
def test_the_kitchen_is_open_until_ctrl_c_and_replaces_who_dies(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.kitchen", "--folder", str(tmp_path)]
    kitchen = Running(command, TOP, {**user_environment(), "KITCHEN_PORT": "0", "AI_MISCHIEF": "die=1"})
    try:
        url = kitchen.hear(r"The kitchen is open at (http://\S+?);")[1]
        site = kitchen.hear(r"traps: (http://\S+?)\.( |$)")[1]
        answer = httpx2.post(f"{url}/api/crawling/crawl?sync=1", json={"url": site, "depth": 0}, timeout=20)
        assert answer.json()["status"] == "done"
        # It dies whenever it is asked, so nobody answers.
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(f"{url}/api/ai/analyze-recipe", json={"text": "eggs"}, timeout=0.5)
        kitchen.hear("ai +ended with exit code 1; it is started again in")
        kitchen.tell(signal.SIGINT)
        assert kitchen.end() == 0
    finally:
        kitchen.close()


@pytest.mark.xdist_group("kitchen sqlite")
def test_a_program_that_cannot_start_ends_all_with_its_words(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.kitchen", "--folder", str(tmp_path)]
    environment = {**user_environment(), "KITCHEN_PORT": "99999"}
    ended = subprocess.run(command, cwd=TOP, env=environment, timeout=50, check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "The program 'main' did not start" in ended.stderr
    assert "KITCHEN_PORT is '99999'" in ended.stderr
