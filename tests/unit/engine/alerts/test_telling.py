"""Sinks are told side by side, the log first."""

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import Any, cast

import pytest

from goatherd import Goatherd
from goatherd.engine.alerts import telling
from goatherd.engine.alerts.telling import Telling, make_sinks
from goatherd.errors import DefinitionError
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


async def test_one_that_cannot_be_stopped_is_left_alone_and_others_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "DEADLINE", 0.01)
    monkeypatch.setattr(telling, "LAST_MOMENT", 0.01)
    enough, calls = asyncio.Event(), 0

    async def stubborn(_alert: Alert) -> None:
        nonlocal calls
        calls += 1
        while not enough.is_set():
            with suppress(asyncio.CancelledError):
                await enough.wait()

    async def quick(_alert: Alert) -> None: ...

    those = Telling({"stubborn": stubborn, "quick": quick})
    async with asyncio.timeout(20):
        for _ in range(2):
            told = await those.tell_all([Errand(NOTICE, ("stubborn", "quick"))])
            assert told == {NOTICE.news: {"quick"}}
            assert those.troubles["stubborn"].startswith("it does not end")
        assert calls == 1
        enough.set()
        while NOTICE.news not in (told := await those.tell_all([Errand(NOTICE, ("stubborn",))])):
            await asyncio.sleep(0)
    assert (told, calls) == ({NOTICE.news: {"stubborn"}}, 2)
    assert those.troubles == {}


async def test_whoever_stops_ends_what_is_being_told() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow(_alert: Alert) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    telling_all = asyncio.create_task(Telling({"slow": slow}).tell_all([Errand(NOTICE, ("slow",))]))
    async with asyncio.timeout(20):
        await begun.wait()
        telling_all.cancel()
        await ended.wait()


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


class Phone:
    """Somebody's own way to be told."""

    async def __call__(self, _alert: Alert) -> None: ...

    async def ring(self, _alert: Alert, *, times: int = 1) -> None: ...


def test_what_is_no_plain_function_has_the_same_name_in_every_process() -> None:
    functions: list[telling.Tell] = [Phone(), partial(Phone().ring, times=3), partial(partial(Phone()), times=2)]
    phone = f"{__name__}.Phone"
    assert list(make_sinks(functions, None)) == ["log", phone, f"{phone}.ring", f"{phone} #2"]


def test_whatever_can_be_awaited_may_be_told() -> None:
    app = Goatherd("shop")
    app.on_alert(Phone())
    app.on_alert(partial(Phone().ring, times=3))

    def plain(_alert: Alert) -> None: ...

    for wrong in (plain, print, partial(plain)):
        with pytest.raises(DefinitionError, match="Make it `async def`"):
            app.on_alert(cast(Any, wrong))
    assert len(app.alert_hooks) == 2
