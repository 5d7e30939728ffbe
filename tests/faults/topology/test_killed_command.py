"""The same deaths of `apply` as in the short run, but it is the command that goes on, and for both of TaskIQ's ways."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.topology.ground import Ground
from tests.faults.topology.death import check, left_by, play_all

pytestmark = [pytest.mark.chaos, pytest.mark.servers("rabbitmq", "taskiq")]

#: Lives at the same time.
AT_ONCE = 2


@pytest.mark.parametrize("library", [Ground.let_old_taskiq_in, Ground.let_new_taskiq_in], ids=["0.4.4", "0.6"])
def test_the_command_goes_on_after_every_step(library: Callable[[Ground, int], list[str]], tmp_path: Path) -> None:
    before = left_by(library, tmp_path)
    whole = asyncio.run(play_all(before, tmp_path, [(0, 0)], at_once=1))[0, 0]
    numbers = range(1, len(whole.steps) + 1)
    moves = [number for number in numbers if whole.steps[number - 1].startswith("move")]
    moments = [*((number, 0) for number in numbers), *((0, number) for number in moves)]
    for outcome in asyncio.run(play_all(before, tmp_path, moments, at_once=AT_ONCE, by_command=True)).values():
        check(outcome, whole)
