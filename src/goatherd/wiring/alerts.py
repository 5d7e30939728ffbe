"""From settings to where alerts are noted and whom they are told to."""

from goatherd.model.settings import Settings
from goatherd.ports.alerts import AlertBoard, AlertPost
from goatherd.ports.clock import Clock
from goatherd.wiring.loading import load, take_file


async def open_alert_board(settings: Settings, clock: Clock) -> AlertBoard:
    """Open what says which alerts there are; raises Unavailable, SettingsError or MissingExtra."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.alert_board import SqliteAlertBoard

        database, give_back = await take_file(settings.record_store)
        deadline = settings.publish_deadline
        return SqliteAlertBoard(database, clock, settings.app, deadline=deadline, give_back=give_back)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_alert_board(settings)


def alert_webhook(settings: Settings) -> AlertPost | None:
    """Who tells a webhook of alerts; None if there is none."""
    if settings.alert_webhook is None:
        return None
    from goatherd.adapters.webhook import Webhook

    return Webhook(settings.alert_webhook, settings.app)


async def knock_at_webhook(settings: Settings, deadline: float) -> str:
    """Whether the webhook can be reached, without telling it anything; gives its address, raises Unavailable."""
    from goatherd.adapters.webhook import knock, public_address

    assert settings.alert_webhook is not None, "whoever asks has looked"
    await knock(settings.alert_webhook, deadline)
    return public_address(settings.alert_webhook)
