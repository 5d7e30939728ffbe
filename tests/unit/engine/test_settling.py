"""What was decided is not lost: not while the broker is away, and not by a fault of our own."""

from collections.abc import Callable
from typing import Any

import pytest

from goatherd import Goatherd, Retry
from goatherd.engine.attempt import Attempts
from goatherd.errors import Unavailable
from goatherd.model.message import FAILURES
from tests.unit.engine.stage import HandClock, Notes, Stage, at_work


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.engine.settling.SETTLE_AGAIN_AFTER", 0.01)


def away(stage: Stage, verb: str, times: int) -> Notes:
    """Let the broker be away for the next calls of a verb."""
    tell: Callable[..., Any] = getattr(stage.broker, verb)
    notes = Notes()

    async def refuse(*args: Any) -> None:
        notes("asked")
        if notes.counted["asked"] <= times:
            raise Unavailable("the disk is full")
        await tell(*args)

    setattr(stage.broker, verb, refuse)
    return notes


async def test_a_dead_letter_is_insisted_on_while_the_broker_is_away(
    app: Goatherd, caplog: pytest.LogCaptureFixture
) -> None:
    ran: list[int] = []

    @app.task
    async def broken() -> None:
        ran.append(1)
        raise ValueError("no")

    async with at_work(app) as stage:
        notes = away(stage, "bury", 5)
        await broken.send()
        letter = await stage.letter()
    assert (letter.message, ran, notes.counted["asked"]) == ("no", [1], 6)
    assert caplog.text.count("trying until it can: the disk is full") == 1


async def test_a_retry_is_insisted_on_while_the_broker_is_away(app: Goatherd, clock: HandClock) -> None:
    ran: list[int] = []

    @app.task(retry=Retry(1, jitter=0))
    async def flaky() -> None:
        ran.append(1)
        if len(ran) == 1:
            raise ConnectionError

    async with at_work(app) as stage:
        away(stage, "replace", 5)
        await flaky.send()
        await stage.saw("replaced")
        clock.advance(1)
        await stage.saw("acked")
    assert ran == [1, 1]


@pytest.mark.parametrize("where", ["admit", "make"])
async def test_a_fault_of_our_own_is_told_and_tried_a_few_times_and_then_given_up(
    app: Goatherd,
    clock: HandClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    where: str,
) -> None:
    ran: list[int] = []

    @app.task
    async def work() -> None:
        ran.append(1)

    def admit(self: Attempts, delivery: object) -> None:
        raise KeyError("a bug")

    async def make(self: Attempts, delivery: object, admitted: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(Attempts, where, {"admit": admit, "make": make}[where])
    async with at_work(app) as stage:
        await work.send()
        for turn in (1, 2, 3):
            await stage.saw("replaced", turn)
            assert stage.following[-1].headers[FAILURES] == turn
            clock.advance(10)
        letter = await stage.letter()
    assert (letter.reason, letter.error_type, ran) == ("failed", "KeyError", [])
    assert "this is a fault of Goatherd" in caplog.text


async def test_one_unreadable_job_does_not_keep_the_others(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    admit = Attempts.admit

    @app.task
    async def work(number: int) -> None:
        done.append(number)

    def moody(self: Attempts, delivery: Any) -> Any:
        if b'"number":3' in delivery.message.body:
            raise KeyError("a bug")
        return admit(self, delivery)

    monkeypatch.setattr(Attempts, "admit", moody)
    async with at_work(app) as stage:
        await app.send_many(work.job(number) for number in range(6))
        await stage.saw("acked", 5)
        await stage.saw("replaced")
    assert sorted(done) == [0, 1, 2, 4, 5]
