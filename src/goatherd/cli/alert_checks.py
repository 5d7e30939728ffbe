"""What `goatherd doctor` says about whom alerts are told to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well
from goatherd.errors import GoatherdError
from goatherd.wiring import knock_at_webhook

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Seconds that a webhook has to let somebody in.
DEADLINE = 5.0


async def alert_checks(app: Goatherd) -> AsyncIterator[Check]:
    """Whether the webhook can be reached from here, which is told nothing; nothing for an app that has none."""
    settings = app.settings
    if settings.alert_webhook is None:
        return
    if not settings.metrics_every:
        mend = "Set GOATHERD_METRICS_EVERY above 0: what schedulers do not look at they cannot tell of."
        yield warning("alerts", "there is a webhook, but metrics_every is 0, so nobody is told of anything", mend)
    try:
        where = await knock_at_webhook(settings, DEADLINE)
    except GoatherdError as error:
        found, _, mend = str(error).partition(". ")
        yield warning("alerts", found, mend)
    else:
        yield well("alerts", f"the webhook at {where} can be reached")
