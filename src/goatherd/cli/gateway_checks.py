"""What `goatherd doctor` says about what a gateway needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning

if TYPE_CHECKING:
    from goatherd.app import Goatherd


def gateway_checks(app: Goatherd) -> Iterator[Check]:
    """Whether it could let anybody in; nothing for an app that nobody watches, or that is being written."""
    settings = app.settings
    watched = settings.events_url is not None or any(task.tracked for task in app.definitions())
    # `goatherd dev` on this machine makes a secret of its own.
    deployed = not all(url.startswith("sqlite:") for url in (settings.broker_url, settings.event_store))
    if watched and deployed and settings.secret is None:
        found = "no secret is set, so a gateway would let nobody watch jobs, and does not start"
        mend = 'Set GOATHERD_SECRET, the same for all processes: python -c "import secrets; print(secrets.token_hex())"'
        yield warning("secret", found, mend)
