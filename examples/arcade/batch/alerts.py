"""Whom to wake: the port, and its two adapters."""

import logging
from typing import Protocol

import httpx2

from examples.arcade.settings import Settings

#: Seconds that a webhook may take.
PATIENCE = 10.0

log = logging.getLogger("arcade.alert")


class Alerts(Protocol):
    """Somebody who is told that something needs a look."""

    async def raise_alert(self, subject: str, text: str, link: str) -> None:
        """Tell them; raises ConnectionError if they could not be told."""


class LogAlerts:
    """The log: whoever reads it is told."""

    async def raise_alert(self, subject: str, text: str, link: str) -> None:
        """Write it down."""
        log.error("%s: %s (%s)", subject, text, link)


class WebhookAlerts:
    """An HTTP POST to wherever alerts are taken, and the log."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def raise_alert(self, subject: str, text: str, link: str) -> None:
        """Send it; anything but a 2xx is not told."""
        await LogAlerts().raise_alert(subject, text, link)
        try:
            async with httpx2.AsyncClient(timeout=PATIENCE) as client:
                answer = await client.post(self._url, json={"subject": subject, "text": text, "link": link})
        except httpx2.HTTPError as error:
            raise ConnectionError(f"the webhook of alerts cannot be reached ({type(error).__name__})") from error
        if not answer.is_success:
            raise ConnectionError(f"the webhook of alerts answered with {answer.status_code}")


def chosen(settings: Settings) -> Alerts:
    """A webhook if there is one."""
    return LogAlerts() if settings.alert_webhook is None else WebhookAlerts(settings.alert_webhook)
