"""One command starts all programs and plays the whole story."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from examples.comments.board import Board
from examples.comments.story import scenes, trouble
from examples.comments.story.play import SCENES
from examples.comments.story.stage import PATIENCE, SETTINGS, Stage
from examples.running.programs import TOP
from tests.acceptance.cli.stage import Running
from tests.acceptance.comments.own_database import own_database
from tests.docs.story import user_environment

ALL_HELD = f"{len(SCENES)} scenes, all held"
ON_A_FILE = pytest.mark.xdist_group("comments sqlite")


def play(*arguments: str) -> str:
    command = ["make", "-s", "example", "NAME=comments", f"ARGS={' '.join(arguments)}"]
    ended = subprocess.run(
        command, cwd=TOP, env=user_environment(), timeout=140, check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.timeout(150)
@ON_A_FILE
def test_the_story_holds_on_files() -> None:
    assert ALL_HELD in play("--once")


@pytest.mark.chaos
@pytest.mark.servers("rabbitmq", "redis", "postgres")
@pytest.mark.timeout(150)
@pytest.mark.xdist_group("comments servers")
def test_the_story_holds_on_private_servers() -> None:
    assert ALL_HELD in play("--servers", "--once")


@pytest.mark.chaos
@pytest.mark.servers("postgres")
@pytest.mark.timeout(120)
@pytest.mark.xdist_group("comments servers")
def test_lanes_may_be_in_the_database_of_the_posts(tmp_path: Path) -> None:
    """Then a comment and the end of its job are one transaction, and there is no fence to look at."""
    with own_database() as url:
        settings = {**SETTINGS, "COMMENTS_DATABASE_URL": url, "COMMENTS_LANES": "database"}
        board = Board(tmp_path, settings, lambda _name, _line: None)
        _play_some(board)


def _play_some(board: Board) -> None:
    with board, httpx2.Client(base_url=board.url, timeout=PATIENCE) as client:
        stage = Stage(board, client)
        for scene in (scenes.many_at_once, scenes.edit, trouble.worker_killed):
            scene(stage)


@ON_A_FILE
def test_the_board_is_open_until_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.comments", "--folder", str(tmp_path)]
    board = Running(command, TOP, {**user_environment(), "COMMENTS_PORT": "0"})
    try:
        url = board.hear(r"The board is open at (http://\S+?);")[1]
        accepted = httpx2.post(f"{url}/api/v1/posts/1/comments", json={"author": "Ada", "text": "Hello!"}, timeout=20)
        assert (accepted.status_code, accepted.json()["number"]) == (202, 1)
        assert httpx2.get(f"{url}/healthz", timeout=20).status_code == 200
        page = httpx2.get(url, timeout=20)
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        with httpx2.stream("GET", f"{url}/api/v1/live", timeout=20) as stream:
            # A page that is open does not keep the program from ending.
            assert next(stream.iter_lines()) == "retry: 1000"
            board.tell(signal.SIGINT)
            assert board.end() == 0
    finally:
        board.close()


@ON_A_FILE
def test_a_program_that_cannot_start_ends_all_with_its_words(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.comments", "--folder", str(tmp_path)]
    environment = {**user_environment(), "COMMENTS_PORT": "0", "COMMENTS_LANE_LIMIT": "many"}
    ended = subprocess.run(command, cwd=TOP, env=environment, timeout=50, check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "did not start" in ended.stderr
    assert "COMMENTS_LANE_LIMIT is 'many'" in ended.stderr
