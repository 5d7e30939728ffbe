"""From the address of an inbox to where its commands are."""

from goatherd.model.inbox_address import public_address
from goatherd.model.settings import Settings
from goatherd.ports.inbox import CommandSource
from goatherd.wiring.loading import load


async def open_command_source(url: str, settings: Settings) -> CommandSource:
    """Make ready to listen, without a connection yet; raises SettingsError, DefinitionError or MissingExtra."""
    if public_address(url).startswith("firebase"):
        await load("firebase", "An inbox with firebase+https://")
        from goatherd.adapters.firebase import opening as firebase

        return firebase.open_source(url)
    await load("redis", "An inbox with redis://")
    from goatherd.adapters.redis import opening as redis

    return redis.open_command_source(url, settings)
