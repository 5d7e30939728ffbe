"""One command starts all programs and plays the whole story."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from examples.dubbing.story.play import SCENES
from examples.running.programs import TOP
from tests.acceptance.cli.stage import Running
from tests.docs.story import user_environment

ALL_HELD = f"{len(SCENES)} scenes, all held"
#: Its programs are many, and take all cores while they hear: beside other tests the whole story would take minutes.
#: What each program does is tested in `tests/examples/dubbing`.
ALONE = pytest.mark.xdist_group("dubbing")

pytestmark = [pytest.mark.servers("media"), ALONE]


def play(*arguments: str) -> str:
    command = ["make", "-s", "example", "NAME=dubbing", f"ARGS={' '.join(arguments)}"]
    ended = subprocess.run(
        command, cwd=TOP, env=user_environment(), timeout=280, check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.chaos
@pytest.mark.timeout(300)
def test_the_story_holds_on_files() -> None:
    assert ALL_HELD in play("--once")


@pytest.mark.chaos
@pytest.mark.servers("rabbitmq", "redis", "postgres")
@pytest.mark.timeout(300)
def test_the_story_holds_on_private_servers() -> None:
    assert ALL_HELD in play("--servers", "--once")


@pytest.mark.chaos
@pytest.mark.timeout(120)
def test_the_studio_dubs_a_video_and_is_open_until_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.dubbing", "--folder", str(tmp_path)]
    studio = Running(command, TOP, {**user_environment(), "DUBBING_PORT": "0"})
    try:
        studio.hear(r"Two goats cross the old bridge\.  →  .*puente")
        url = studio.hear(r"The studio is open at (http://\S+?);")[1]
        assert (tmp_path / "farm.es.mp4").stat().st_size > 10_000
        assert httpx2.get(f"{url}/healthz", timeout=20).status_code == 200
        for path, status in (("tasks/nobody", 404), ("tasks/nobody/video", 404), ("tasks/nobody/events", 404)):
            answer = httpx2.get(f"{url}/api/v1/{path}", timeout=20)
            assert (answer.status_code, list(answer.json())) == (status, ["error"])
        refused = httpx2.post(f"{url}/api/v1/tasks", json={"source_video_key": "../secret"}, timeout=20)
        assert refused.status_code == 422
        studio.tell(signal.SIGINT)
        assert studio.end() == 0
    finally:
        studio.close()


def test_a_program_that_cannot_start_ends_all_with_its_words(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.dubbing", "--folder", str(tmp_path)]
    environment = {**user_environment(), "DUBBING_PORT": "0", "TTS_MAX_CONCURRENCY": "many"}
    ended = subprocess.run(command, cwd=TOP, env=environment, timeout=50, check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "did not start" in ended.stderr
    assert "TTS_MAX_CONCURRENCY is 'many'" in ended.stderr
