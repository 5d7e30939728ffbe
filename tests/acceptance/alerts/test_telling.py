"""Whoever is to be told is told: once for all schedulers, again if it did not arrive, and never with a secret."""

import asyncio
import logging
from pathlib import Path

import pytest

from goatherd import Alert, Goatherd
from goatherd.cli.alert_checks import alert_checks
from goatherd.model import alert_rules
from tests.acceptance.alerts.pager import PATIENCE, Pager, watched


def lagging(folder: Path, pager: Pager, **settings: object) -> Goatherd:
    """An app of whose jobs none may wait."""
    app = watched(folder, pager, alert_lag=0.01, **settings)

    @app.task(name="work")
    async def work() -> None: ...

    return app


async def test_a_function_of_the_program_and_the_log_are_told(
    tmp_path: Path, pager: Pager, caplog: pytest.LogCaptureFixture
) -> None:
    app = lagging(tmp_path, pager, alert_webhook=None)
    told: asyncio.Queue[Alert] = asyncio.Queue()

    @app.on_alert
    async def page(alert: Alert) -> None:
        told.put_nowait(alert)

    async with asyncio.timeout(PATIENCE), app.serve("scheduler"):
        await app.tasks["work"].send()
        first = await told.get()
        async with app.serve("worker"):
            last = await told.get()
    assert (first.kind, first.subject, first.resolved_at) == ("lag", "shop", None)
    assert (last.since, last.resolved_at is None) == (first.since, False)
    lines = [(record.levelno, record.message) for record in caplog.records if record.name == "goatherd.alerts"]
    assert (logging.ERROR, str(first)) in lines
    assert [level for level, message in lines if message.startswith("lag shop: resolved")] == [logging.WARNING]
    assert not pager.alerts


async def test_of_many_schedulers_one_tells(tmp_path: Path, pager: Pager) -> None:
    apps = [lagging(tmp_path, pager) for _ in range(3)]
    async with apps[0].serve("scheduler"), apps[1].serve("scheduler"), apps[2].serve("scheduler"):
        await apps[0].tasks["work"].send()
        await pager.told("lag")
        async with apps[0].serve("worker"):
            await pager.told("lag", "resolved")
    assert [alert["state"] for alert in pager.alerts] == ["firing", "resolved"]


async def test_a_scheduler_that_starts_anew_knows_what_was_told(tmp_path: Path, pager: Pager) -> None:
    async with lagging(tmp_path, pager).serve("scheduler") as app:
        await app.tasks["work"].send()
        await pager.told("lag")
    app = lagging(tmp_path, pager)
    async with app.serve("worker", "scheduler"):
        await pager.told("lag", "resolved")
    assert [alert["state"] for alert in pager.alerts] == ["firing", "resolved"]


async def test_a_webhook_that_refuses_is_tried_again_and_its_address_is_not_shown(
    tmp_path: Path, pager: Pager, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(alert_rules, "FIRST_PAUSE", 0.01)
    pager.status = 500
    app = lagging(tmp_path, pager)
    async with app.serve("scheduler"):
        await app.tasks["work"].send()
        await pager.tried(2)
        [reason] = (await app.health()).reasons
        assert reason.startswith("alerts: webhook: The webhook at http://127.0.0.1:")
        assert "refused an alert with status 500" in reason
        assert 'goatherd_scheduler_failing{kind="alerts",name="webhook"} 1.0' in app.metrics()
        pager.status = 204
        alert = await pager.told("lag")
    assert alert["text"].startswith("[shop] lag shop: 1 job waits")
    assert "POST /hooks/very-secret?room=7 HTTP/1.1" in pager.requests[0]
    assert "webhook could not be told of an alert" in caplog.text
    assert "very-secret" not in caplog.text


async def test_a_function_that_fails_is_told_again_and_keeps_nobody_else_waiting(
    tmp_path: Path, pager: Pager, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(alert_rules, "FIRST_PAUSE", 0.01)
    app = lagging(tmp_path, pager)
    tries: asyncio.Queue[Alert] = asyncio.Queue()

    @app.on_alert
    async def page(alert: Alert) -> None:
        tries.put_nowait(alert)
        if tries.qsize() == 1:
            raise RuntimeError("no phone")

    async with asyncio.timeout(PATIENCE), app.serve("scheduler"):
        await app.tasks["work"].send()
        await pager.told("lag")
        while tries.qsize() < 2:
            await asyncio.sleep(0.01)
    assert "no phone" in caplog.text
    assert [alert["state"] for alert in pager.alerts] == ["firing"]


async def test_without_a_sampler_nobody_is_told(tmp_path: Path, pager: Pager) -> None:
    app = lagging(tmp_path, pager, metrics_every=0.0)
    async with app.serve("scheduler"):
        assert app.alert_watches == []


async def test_doctor_knocks_at_the_webhook(tmp_path: Path, pager: Pager, unused_tcp_port: int) -> None:
    [reached] = [check async for check in alert_checks(lagging(tmp_path, pager))]
    assert (reached.state, "can be reached" in reached.found) == ("well", True)
    away = lagging(tmp_path, pager, alert_webhook=f"http://127.0.0.1:{unused_tcp_port}/hooks/very-secret")
    [check] = [check async for check in alert_checks(away)]
    assert (check.state, check.name) == ("warning", "alerts")
    assert check.found.startswith(f"The webhook at http://127.0.0.1:{unused_tcp_port} cannot be reached")
    assert check.mend == "Check GOATHERD_ALERT_WEBHOOK and what listens there."
    assert pager.alerts == []
    await pager.knocked()


async def test_doctor_says_when_nobody_would_be_told(tmp_path: Path, pager: Pager) -> None:
    found = [check async for check in alert_checks(lagging(tmp_path, pager, metrics_every=0.0))]
    assert [check.state for check in found] == ["warning", "well"]
    await pager.knocked()
