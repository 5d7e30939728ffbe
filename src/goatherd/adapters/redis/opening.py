"""Open the ports on the servers that the settings name."""

from collections.abc import Callable

from goatherd.adapters.redis.address import Address, read_address
from goatherd.adapters.redis.events import RedisEvents, Terms
from goatherd.adapters.redis.feed import RedisFeed
from goatherd.adapters.redis.inbox_address import read_place
from goatherd.adapters.redis.inbox_list import RedisListCommands
from goatherd.adapters.redis.inbox_stream import RedisStreamCommands
from goatherd.adapters.redis.lane_safety import check_safety
from goatherd.adapters.redis.lanes import RedisLanes
from goatherd.adapters.redis.names import Names
from goatherd.adapters.redis.relay import RedisRelay
from goatherd.adapters.redis.tallies import RedisTallies
from goatherd.model.settings import Settings

#: Seconds that the live server may take: watchers look for themselves if it does not answer.
RELAY_DEADLINE = 2.0


async def open_events(settings: Settings) -> RedisEvents:
    """Raises Unavailable or SettingsError, as the others do."""
    terms = Terms(ttl=settings.event_ttl, deadline=settings.publish_deadline)
    events = RedisEvents(_address(settings), _names(settings), terms, _live_address(settings))
    await events.open()
    return events


async def open_feed(settings: Settings) -> RedisFeed:
    """What routers take."""
    feed = RedisFeed(_address(settings), _names(settings), settings.router_group, settings.publish_deadline)
    await feed.open()
    return feed


async def open_relay(settings: Settings) -> RedisRelay | None:
    """How routers tell watchers on the live server; None if that is the server of the events."""
    live = _live_address(settings)
    if live is None:
        return None
    relay = RedisRelay(live, _names(settings), min(RELAY_DEADLINE, settings.publish_deadline))
    await relay.open()
    return relay


async def open_lanes(settings: Settings, now: Callable[[], float] | None = None) -> RedisLanes:
    """Jobs in order; refuses a server that would forget them. `now` tells the time instead of the server."""
    address = read_address(settings.lane_store, "lanes")
    lanes = RedisLanes(address, settings.app, settings.publish_deadline, now)
    await lanes.open()
    try:
        if not settings.volatile_lanes:
            await check_safety(lanes.ask, address)
    except BaseException:
        await lanes.close()
        raise
    return lanes


async def open_tallies(settings: Settings, now: Callable[[], float] | None = None) -> RedisTallies:
    """Counters by key, with the lanes; refuses the same servers."""
    address = read_address(settings.lane_store, "lanes")
    tallies = RedisTallies(address, settings.app, settings.publish_deadline, now)
    await tallies.open()
    try:
        if not settings.volatile_lanes:
            await check_safety(tallies.ask, address)
    except BaseException:
        await tallies.close()
        raise
    return tallies


def open_command_source(url: str, settings: Settings) -> RedisListCommands | RedisStreamCommands:
    """Raises SettingsError; a server that is away is noticed when it is listened to."""
    place = read_place(url)
    if place.group is None:
        return RedisListCommands(place, settings.publish_deadline)
    return RedisStreamCommands(place, settings.publish_deadline, settings.lease)


def _address(settings: Settings) -> Address:
    return read_address(settings.event_store)


def _live_address(settings: Settings) -> Address | None:
    if settings.live_url is None:
        return None
    live = read_address(settings.live_url, "live")
    return None if live.is_same_server(_address(settings)) else live


def _names(settings: Settings) -> Names:
    return Names(prefix=settings.prefix_of_events, live_prefix=settings.live_prefix, shards=settings.event_shards)
