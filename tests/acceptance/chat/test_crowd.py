"""Many answers at once: every text is right. How late words come is told, not judged: that is for the machine."""

import logging
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.acceptance.chat.conftest import ON_A_FILE
from tests.acceptance.chat.crowd import Crowd, told

log = logging.getLogger("crowd")
FEW, MANY = Crowd(answers=20, tokens=40, pause=0.05), Crowd(answers=300, tokens=200)


def play(crowd: Crowd, folder: Path, settings: Mapping[str, str]) -> None:
    answers = crowd.run(folder, settings)
    log.info(told(answers, crowd.tokens))
    wrong = [answer for answer in answers if not answer.is_right(crowd.tokens)]
    assert not wrong, f"{len(wrong)} of {len(answers)} are wrong, such as {wrong[0].text!r}"


@ON_A_FILE
def test_a_small_crowd_on_one_file(tmp_path: Path) -> None:
    play(FEW, tmp_path, {})


@ON_A_FILE
@pytest.mark.chaos
@pytest.mark.timeout(300)
def test_a_crowd_on_one_file(tmp_path: Path) -> None:
    play(MANY, tmp_path, {})


@pytest.mark.servers("rabbitmq", "redis")
@pytest.mark.xdist_group("chat servers")
@pytest.mark.parametrize(
    "crowd", [FEW, pytest.param(MANY, marks=[pytest.mark.chaos, pytest.mark.timeout(300)])], ids=["few", "many"]
)
def test_a_crowd_on_servers(crowd: Crowd, tmp_path: Path, servers: Mapping[str, str]) -> None:
    play(crowd, tmp_path, servers)
