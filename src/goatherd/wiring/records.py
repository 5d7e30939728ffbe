"""From URLs to databases: their schemas, and what is on record there."""

from collections.abc import Sequence
from dataclasses import dataclass

from goatherd.errors import MissingExtra
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.ports.migrations import Migrations
from goatherd.ports.steps import RunOperations, Steps
from goatherd.wiring.loading import load, take_file


@dataclass(frozen=True, kw_only=True)
class OpenSteps:
    """The records of pipelines, as workers and as operators see them."""

    steps: Steps
    operations: RunOperations


async def open_steps(settings: Settings, clock: Clock) -> OpenSteps:
    """Open what keeps the runs of pipelines; raises Unavailable, SettingsError or MissingExtra."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.steps import SqliteSteps

        database, give_back = await take_file(settings.record_store)
        in_file = SqliteSteps(database, clock, deadline=settings.publish_deadline, give_back=give_back)
        return OpenSteps(steps=in_file, operations=in_file)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    in_database = await opening.open_steps(settings)
    return OpenSteps(steps=in_database, operations=in_database)


def find_migrations(settings: Settings) -> Sequence[Migrations]:
    """One for each database that the settings name; raises SettingsError or MissingExtra."""
    if not any(url.startswith("postgres") for url in (settings.lane_store, settings.record_store)):
        return ()
    try:
        from goatherd.adapters.postgres import opening
    except ImportError as error:
        raise MissingExtra("A URL with postgresql://", "postgres") from error
    return opening.find_migrations(settings)
