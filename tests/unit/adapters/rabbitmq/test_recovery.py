"""Consumers are started when their time has come, and how they fared decides when that is."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from goatherd.adapters.rabbitmq import conduct as conduct_module
from goatherd.adapters.rabbitmq import recovery as recovery_module
from goatherd.adapters.rabbitmq.conduct import FIRST_PAUSE, LONGEST_PAUSE, Conduct
from goatherd.adapters.rabbitmq.recovery import AT_ONCE, Recovery


class Patient:
    """Notes when it was tried, and may hang."""

    def __init__(self, name: str, story: list[str], hang: asyncio.Event | None = None) -> None:
        self._name, self._story, self._hang = name, story, hang
        self.error: Exception | None = None

    async def come_back(self) -> None:
        self._story.append(self._name)
        if self._hang is not None:
            await self._hang.wait()
        if self.error is not None:
            error, self.error = self.error, None
            raise error


@pytest.fixture
async def recovery() -> AsyncIterator[Recovery]:
    recovery = Recovery()
    yield recovery
    await recovery.close()


async def settled(story: list[str], length: int) -> None:
    async with asyncio.timeout(5):
        while len(story) < length:
            await asyncio.sleep(0.005)


async def test_each_in_its_time(recovery: Recovery) -> None:
    story: list[str] = []
    for name, seconds in (("late", 0.1), ("now", 0.0), ("soon", 0.03)):
        recovery.later(Patient(name, story), seconds)
    await settled(story, 3)
    assert story == ["now", "soon", "late"]


async def test_what_was_arranged_last_counts(recovery: Recovery) -> None:
    story: list[str] = []
    patient, gone = Patient("patient", story), Patient("gone", story)
    recovery.later(patient, 0.05)
    recovery.later(gone, 0.01)
    recovery.later(patient, 0.0)
    recovery.forget(gone)
    assert not recovery.expects(gone)
    await settled(story, 1)
    await asyncio.sleep(0.1)
    assert story == ["patient"]


async def test_one_that_hangs_does_not_hold_up_the_others(recovery: Recovery) -> None:
    story: list[str] = []
    never = asyncio.Event()
    for _ in range(AT_ONCE - 1):
        recovery.later(Patient("hangs", story, never), 0)
    for number in range(50):
        recovery.later(Patient(f"{number}", story), 0)
    await settled(story, AT_ONCE - 1 + 50)
    never.set()


async def test_there_is_no_task_while_there_is_nothing_to_do(recovery: Recovery) -> None:
    story: list[str] = []
    before = len(asyncio.all_tasks())
    recovery.later(Patient("only", story), 0)
    await settled(story, 1)
    async with asyncio.timeout(5):
        while len(asyncio.all_tasks()) > before:
            await asyncio.sleep(0.005)


async def test_a_fault_of_our_own_is_told_and_tried_again(
    recovery: Recovery, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery_module, "AFTER_OUR_FAULT", 0.01)
    story: list[str] = []
    patient = Patient("unlucky", story)
    patient.error = RuntimeError("a bug")
    recovery.later(patient, 0)
    await settled(story, 2)
    assert "a fault of Goatherd" in caplog.text


def test_pauses_grow_up_to_the_longest() -> None:
    conduct = Conduct()
    pauses = [conduct.fails("no") for _ in range(9)]
    longest = FIRST_PAUSE
    for pause in pauses:
        assert longest / 2 <= pause <= longest
        longest = min(longest * 2, LONGEST_PAUSE)
    assert conduct.standing(None).condition == "quarantined"
    assert conduct.standing(None).failures == 9


def test_what_ended_by_the_fault_of_others_comes_back_at_once_unless_it_just_did() -> None:
    conduct = Conduct()
    conduct.runs()
    assert conduct.ends("the channel", at_once=True) == 0
    assert conduct.runs()
    assert conduct.ends("the channel", at_once=True) > 0
    assert conduct.standing(None).restarts == 1


def test_who_ran_for_long_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    conduct = Conduct()
    for _ in range(5):
        conduct.fails("no")
    assert conduct.runs()
    conduct.fails("again")
    assert conduct.standing(None).condition == "quarantined", "to run for a moment proves nothing"
    conduct.runs()
    monkeypatch.setattr(conduct_module, "STEADY", 0.0)
    conduct.fails("much later")
    assert (conduct.standing(None).condition, conduct.standing(None).failures) == ("down", 1)


def test_a_lost_connection_is_nobodys_fault() -> None:
    conduct = Conduct()
    conduct.runs()
    conduct.waits("the connection was lost")
    assert conduct.standing(None).condition == "down"
    assert not conduct.runs(), "it is not told of each one"
    assert conduct.standing(3.0).last_delivery == 3.0
