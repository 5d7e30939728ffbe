"""One command starts all programs and plays the whole story."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from examples.chat.story.play import SCENES
from examples.running.programs import TOP
from tests.acceptance.chat.conftest import ON_A_FILE
from tests.acceptance.cli.stage import Running
from tests.docs.story import user_environment

ALL_HELD = f"{len(SCENES)} scenes, all held"


def play(*arguments: str) -> str:
    command = ["make", "-s", "example", "NAME=chat", f"ARGS={' '.join(arguments)}"]
    ended = subprocess.run(
        command, cwd=TOP, env=user_environment(), timeout=140, check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.timeout(150)
@ON_A_FILE
def test_the_story_holds_on_one_file() -> None:
    assert ALL_HELD in play("--once")


@pytest.mark.chaos
@pytest.mark.servers("rabbitmq", "redis")
@pytest.mark.timeout(150)
@pytest.mark.xdist_group("chat servers")
def test_the_story_holds_on_private_servers() -> None:
    assert ALL_HELD in play("--servers", "--once")


@ON_A_FILE
def test_the_chat_is_open_until_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.chat", "--folder", str(tmp_path)]
    chat = Running(command, TOP, {**user_environment(), "CHAT_PORT": "0"})
    try:
        url = chat.hear(r"The chat is open at (http://\S+?);")[1]
        accepted = httpx2.post(f"{url}/api/v1/chat/mine/messages", json={"message": "Hello!"}, timeout=20)
        assert accepted.status_code == 202
        token = {"Authorization": f"Bearer {accepted.json()['stream_token']}"}
        streamed = httpx2.get(accepted.json()["stream_url"], headers=token, timeout=20).text
        assert "event: done\n" in streamed
        chat.tell(signal.SIGINT)
        assert chat.end() == 0
    finally:
        chat.close()


@ON_A_FILE
def test_a_program_that_cannot_start_ends_all_with_its_words(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.chat", "--folder", str(tmp_path)]
    environment = {**user_environment(), "CHAT_PORT": "0", "XREAD_COUNT": "many", "STATE_TTL": "-1"}
    ended = subprocess.run(command, cwd=TOP, env=environment, timeout=50, check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "did not start" in ended.stderr
    assert "XREAD_COUNT is 'many'" in ended.stderr
    assert "STATE_TTL is '-1'" in ended.stderr
