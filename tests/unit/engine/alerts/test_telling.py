"""Sinks are told side by side, the log first."""

import asyncio
import logging

import pytest

from goatherd.engine.alerts import telling
from goatherd.engine.alerts.telling import Telling, make_sinks
from goatherd.model.alert import Alert
from goatherd.model.alert_board import Notice
from goatherd.model.alert_rules import Errand

NOTICE = Notice(kind="lag", subject="mail", message="3 jobs wait", since=0.0, seen=1.0, told=1.0)


async def test_the_log_is_told_before_all_others(caplog: pytest.LogCaptureFixture) -> None:
    order: list[str] = []

    async def one(_alert: Alert) -> None:
        order.append(f"one {len(caplog.records)}")

    async def other(_alert: Alert) -> None:
        order.append(f"other {len(caplog.records)}")

    sinks = make_sinks([one, other], None)
    errand = Errand(NOTICE, tuple(sinks))
    with caplog.at_level(logging.ERROR, "goatherd.alerts"):
        told = await Telling(sinks).tell_all([errand])
    assert order == ["one 1", "other 1"]
    assert told == {NOTICE.news: set(sinks)}


async def test_one_that_takes_too_long_is_told_again_and_others_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "DEADLINE", 0.01)

    async def slow(_alert: Alert) -> None:
        await asyncio.Event().wait()

    async def quick(_alert: Alert) -> None: ...

    those = Telling({"slow": slow, "quick": quick})
    assert await those.tell_all([Errand(NOTICE, ("slow", "quick"))]) == {NOTICE.news: {"quick"}}
    assert those.troubles == {"slow": "it did not end within 0.01 s"}


async def test_one_alert_that_cannot_be_told_keeps_no_other_back() -> None:
    heard: list[str] = []

    async def picky(alert: Alert) -> None:
        if alert.subject == "mail":
            raise ValueError("not this one")
        heard.append(alert.subject)

    second = Notice(kind="lag", subject="films", message="", since=0.0, seen=2.0, told=2.0)
    those = Telling({"picky": picky})
    told = await those.tell_all([Errand(NOTICE, ("picky",)), Errand(second, ("picky",))])
    assert (heard, told) == (["films"], {second.news: {"picky"}})
    assert those.troubles == {"picky": "ValueError: not this one"}


async def test_two_functions_of_one_name_are_two() -> None:
    def made() -> telling.Tell:
        async def page(_alert: Alert) -> None: ...

        return page

    names = list(make_sinks([made(), made(), made()], None))
    assert [name.partition("page")[2] for name in names[1:]] == ["", " #2", " #3"]
