"""Several worker processes under one parent."""

import os
import signal

import pytest

from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import Running, Stage


def two_workers(stage: Stage) -> Running:
    parent = stage.worker("--processes", "2")
    parent.hear("Taking jobs")
    return parent


def test_one_that_is_killed_is_replaced_and_the_work_goes_on(stage: Stage, gate: Gate) -> None:
    parent = two_workers(stage)
    stage.send("visit", f"port={gate.port}", "name=Ada")
    victim = gate.next()
    os.kill(victim.pid, signal.SIGKILL)
    assert victim.last_words() == ""
    parent.hear(rf"Worker {victim.pid} was killed by SIGKILL .*; another starts in 0\.5 s")
    again = gate.next()
    assert again.name == "Ada"
    assert again.pid not in (victim.pid, parent.pid)
    again.let_go()
    assert again.last_words() == "done"
    parent.hear("Taking jobs")
    parent.tell(signal.SIGTERM)
    assert parent.end() == 0
    assert "All worker processes have ended" in parent.heard


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_whole_group_is_one_order_not_two(stage: Stage, gate: Gate, number: signal.Signals) -> None:
    parent = two_workers(stage)
    stage.send("visit", f"port={gate.port}", "name=Ada")
    visitor = gate.next()
    parent.tell_group(number)
    parent.hear(r"1 running job may take up to 20 s to end$")
    visitor.let_go()
    assert visitor.last_words() == "done"
    assert parent.end() == 0
    assert "Hurrying" not in parent.heard


def test_a_second_signal_hurries_all(stage: Stage, gate: Gate) -> None:
    parent = two_workers(stage)
    stage.send("visit", f"port={gate.port}", "name=Ada")
    visitor = gate.next()
    parent.tell(signal.SIGINT)
    parent.hear("1 running job may take")
    parent.tell(signal.SIGINT)
    parent.hear(r"Hurrying \(SIGINT again\)")
    assert visitor.last_words() == ""
    assert parent.end() == 0
    assert stage.queue("gate")["ready"] == 1


def test_workers_end_in_good_order_when_their_parent_is_killed(stage: Stage, gate: Gate) -> None:
    parent = two_workers(stage)
    stage.send("visit", f"port={gate.port}", "name=Ada")
    visitor = gate.next()
    parent.tell(signal.SIGKILL)
    parent.hear(r"Stopping \(the parent is gone\).*1 running job")
    visitor.let_go()
    assert visitor.last_words() == "done"
    assert parent.end() == -signal.SIGKILL  # its output ends only when its children have ended, too
    assert stage.queue("gate")["ready"] == 0
    assert stage.queue("gate")["running"] in (0, None), "None where the broker does not tell"


def test_what_is_wrong_with_the_app_is_told_once(stage: Stage) -> None:
    done = stage.run("worker", "shop:app", "--processes", "3", code=1, GOATHERD_CONCURRENCY="many")
    assert done.stderr.count("GOATHERD_CONCURRENCY is 'many'") == 1


def test_ctrl_c_while_a_worker_still_starts_is_quiet(stage: Stage) -> None:
    parent = stage.worker("--processes", "4")  # the first takes jobs, so the others are starting now
    parent.hear("4 worker processes")
    parent.tell_group(signal.SIGINT)
    assert parent.end() == 0
    assert "Traceback" not in parent.heard
    assert "KeyboardInterrupt" not in parent.heard
