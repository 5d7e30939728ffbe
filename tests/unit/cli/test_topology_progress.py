"""How far an application is, where nobody watches a terminal."""

import pytest

from goatherd.cli.topology_progress import StepByStep
from goatherd.engine.topology.progress import Progress, Voice


def test_steps_stand_below_what_they_belong_to_and_messages_are_counted_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with StepByStep() as steps:
        assert steps.began is False
        Voice(change="create", name="dlx", tell=steps.tell).say("make the exchange")
        voice = Voice(change="replace queue", name="goats", tell=steps.tell)
        voice.say("make a stand-in")
        moved = voice.moving("move the messages to the stand-in")
        # A second go begins to count anew.
        for count in (10, 2000, 3):
            moved(count)
        voice.say("make it as it is wanted")
        voice.moving("move the messages back")(1)
    assert capsys.readouterr().err.splitlines() == [
        "create dlx: make the exchange",
        "replace queue goats",
        "  make a stand-in",
        "  move the messages to the stand-in: 2,003 messages",
        "  make it as it is wanted",
        "  move the messages back: 1 message",
    ]


def test_a_long_move_is_told_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.cli.topology_progress.SELDOM", -1.0)
    with StepByStep() as steps:
        for count in (1, 2):
            steps.tell(Progress(change="replace queue", name="goats", step="move", moved=count))
    assert capsys.readouterr().err.splitlines() == [
        "replace queue goats",
        "  move: 1 message so far",
        "  move: 2 messages so far",
        "  move: 2 messages",
    ]
