"""A test has its own world, and leaves the app as it was."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import goatherd.testing
from goatherd import Goatherd, Retry
from goatherd.errors import NotOpen
from goatherd.ports.clock import SystemClock
from goatherd.testing import testing
from tests.unit.testing.shop import send_mail, shop


def test_the_module_offers_three_names() -> None:
    assert goatherd.testing.__all__ == ["Herd", "JobRecord", "testing"]


async def test_the_environment_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOATHERD_BROKER_URL", "amqp://nowhere")
    monkeypatch.setenv("GOATHERD_CONCURRENCY", "nonsense")
    stall = Goatherd("stall")

    @stall.task
    async def sell(what: str) -> str:
        return what

    async with testing(stall) as t:
        await sell.send("milk")
        await t.drain()
        assert t.jobs(sell)[0].result == "milk"
    assert list(tmp_path.iterdir()) == []


async def test_the_apps_own_settings_hold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goatherd.toml").write_text("broker_url = 'sqlite:///elsewhere.db'\nretry = {retries = 1}\n")
    stall = Goatherd("stall", default_queue="counter", broker_url="sqlite:///here.db")

    @stall.task
    async def sell() -> None:
        raise OSError("sold out")

    async with testing(stall) as t:
        await sell.send()
        await t.advance(100)
        [letter] = t.dead
        assert (letter.queue, letter.attempts) == ("counter", 2)
    assert [path.name for path in tmp_path.iterdir()] == ["goatherd.toml"]


async def test_the_app_is_as_it_was_afterwards(tmp_path: Path) -> None:
    stall = Goatherd("stall", broker_url=f"sqlite:///{tmp_path}/real.db", retry=Retry(7))

    @stall.task
    async def sell() -> None: ...

    settings, definition, meter = stall.settings, sell.definition, stall.meter

    async def fail() -> None:
        async with testing(stall) as t:
            await sell.send()
            await t.drain()
            assert stall.settings is not settings
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert stall.settings is settings
    assert sell.definition.retry is definition.retry
    assert stall.meter is meter
    assert isinstance(stall.clock, SystemClock)
    with pytest.raises(NotOpen):
        await sell.send()
    async with stall:
        await sell.send()
    assert (tmp_path / "real.db").exists()


async def test_settings_that_were_not_read_yet_are_read_afterwards(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stall = Goatherd("stall")
    async with testing(stall):
        pass
    monkeypatch.setenv("GOATHERD_BROKER_URL", f"sqlite:///{tmp_path}/late.db")
    assert stall.settings.broker_url.endswith("late.db")


async def test_an_app_that_is_open_is_refused(tmp_path: Path) -> None:
    stall = Goatherd("stall", broker_url=f"sqlite:///{tmp_path}/jobs.db")
    async with stall:
        with pytest.raises(RuntimeError, match="is open already"):
            async with testing(stall):
                pass
    async with testing(shop):
        with pytest.raises(RuntimeError, match="is open already"):
            async with testing(shop):
                pass


async def test_two_apps_may_be_tested_together() -> None:
    first, second = Goatherd("first"), Goatherd("second")

    @second.task
    async def pong() -> str:
        return "pong"

    @first.task
    async def ping() -> None:
        await pong.send()

    async with testing(first) as one, testing(second) as two:
        await ping.send()
        await one.drain()
        assert [job.state for job in two.jobs(pong)] == ["queued"]
        await two.drain()
        assert [job.result for job in two.jobs(pong)] == ["pong"]


async def test_a_lifespan_that_fails_fails_the_test(tmp_path: Path) -> None:
    stall, stove = Goatherd("stall"), tmp_path / "stove"

    @stall.lifespan
    async def broken() -> AsyncIterator[None]:
        if not stove.exists():
            raise OSError("no stove")
        yield

    with pytest.raises(OSError, match="no stove"):
        async with testing(stall):
            pass
    assert isinstance(stall.clock, SystemClock)


async def test_metrics_and_health_are_the_tests_own() -> None:
    async with testing(shop) as t:
        await send_mail.send("ada")
        await t.drain()
        assert shop.meter.readings().sent == {("mail", "send_mail"): 1}
        assert (await shop.health()).ready
    assert shop.meter.readings().sent == {}
