"""Whom dead letters are told."""

import pytest

from examples.arcade.batch.alerts import LogAlerts, WebhookAlerts, chosen
from examples.arcade.settings import read_settings
from examples.arcade.story.webhook import Webhook


async def test_a_webhook_gets_what_happened() -> None:
    with Webhook() as webhook:
        alerts = chosen(read_settings({"ALERT_WEBHOOK_URL": webhook.url}))
        await alerts.raise_alert("dead letter of prize-daily", "failed: NoCoins", "goatherd dead show")
    assert webhook.alerts == [
        {"subject": "dead letter of prize-daily", "text": "failed: NoCoins", "link": "goatherd dead show"}
    ]


async def test_a_webhook_that_is_away_is_worth_another_try() -> None:
    with Webhook() as webhook:
        url = webhook.url
    with pytest.raises(ConnectionError, match="cannot be reached"):
        await WebhookAlerts(url).raise_alert("a", "b", "c")


async def test_without_one_the_log_is_told(caplog: pytest.LogCaptureFixture) -> None:
    alerts = chosen(read_settings({}))
    assert isinstance(alerts, LogAlerts)
    await alerts.raise_alert("dead letter of prize-daily", "failed", "goatherd dead show")
    assert "dead letter of prize-daily: failed (goatherd dead show)" in caplog.text
