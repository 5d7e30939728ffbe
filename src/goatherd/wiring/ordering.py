"""From a URL to the store of lanes."""

from dataclasses import dataclass

from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.ports.lanes import LaneOperations, Lanes
from goatherd.wiring.loading import load, take_file


@dataclass(frozen=True, kw_only=True)
class OpenLanes:
    """The store of lanes, as workers and as operators see it."""

    lanes: Lanes
    operations: LaneOperations


async def open_lanes(settings: Settings, clock: Clock) -> OpenLanes:
    """Open what keeps keyed jobs in order; raises Unavailable, SettingsError or MissingExtra."""
    url = settings.lane_store
    if url.startswith("sqlite:"):
        from goatherd.adapters.sqlite.lanes import SqliteLanes

        database, give_back = await take_file(url)
        in_file = SqliteLanes(database, clock, deadline=settings.publish_deadline, give_back=give_back)
        return OpenLanes(lanes=in_file, operations=in_file)
    if url.startswith("redis"):
        await load("redis", "A lanes_url with redis://")
        from goatherd.adapters.redis import opening

        on_redis = await opening.open_lanes(settings)
        return OpenLanes(lanes=on_redis, operations=on_redis)
    await load("postgres", "A lanes_url with postgresql://")
    from goatherd.adapters.postgres import opening as postgres

    in_database = await postgres.open_lanes(settings)
    return OpenLanes(lanes=in_database, operations=in_database)
