"""From URLs to what keeps events, carries them on, and remembers them."""

from contextlib import AsyncExitStack

from goatherd.engine.router import Router, RouterManners, RouterPorts
from goatherd.errors import SettingsError
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.ports.events import Events
from goatherd.ports.feed import Feed
from goatherd.ports.job_search import JobSearch
from goatherd.ports.records import JobHistory
from goatherd.ports.relay import Relay
from goatherd.wiring.loading import load, take_file


async def open_events(settings: Settings, clock: Clock) -> Events:
    """Open what keeps the events of tracked jobs; raises Unavailable, SettingsError or MissingExtra."""
    if settings.event_store.startswith("sqlite:"):
        return await _open_sqlite_events(settings, clock)
    await _load_redis()
    from goatherd.adapters.redis import opening

    return await opening.open_events(settings)


async def open_feed(settings: Settings, clock: Clock) -> Feed:
    """Open what gives events to routers; raises the same."""
    if settings.event_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.feed import SqliteFeed

        database, give_back = await take_file(settings.event_store)
        return SqliteFeed(database, clock, deadline=settings.publish_deadline, give_back=give_back)
    await _load_redis()
    from goatherd.adapters.redis import opening

    return await opening.open_feed(settings)


async def open_relay(settings: Settings) -> Relay | None:
    """Open how routers tell watchers on another server; None if the server of the events does; raises the same."""
    if settings.event_store.startswith("sqlite:"):
        return None
    await _load_redis()
    from goatherd.adapters.redis import opening

    return await opening.open_relay(settings)


async def open_history(settings: Settings, clock: Clock) -> JobHistory:
    """Open what remembers tracked jobs whose events are gone; raises the same."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.history import SqliteHistory

        database, give_back = await take_file(settings.record_store)
        return SqliteHistory(database, deadline=settings.publish_deadline, give_back=give_back)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_history(settings)


async def open_job_search(settings: Settings, clock: Clock) -> JobSearch:
    """Open how jobs are found in the history; raises the same."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.job_search import SqliteJobSearch

        database, give_back = await take_file(settings.record_store)
        return SqliteJobSearch(database, deadline=settings.publish_deadline, give_back=give_back)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_job_search(settings)


async def open_router(settings: Settings, clock: Clock) -> Router:
    """A router with ports of its own, which it closes when it is stopped; raises the same."""
    async with AsyncExitStack() as life:
        feed = await open_feed(settings, clock)
        life.push_async_callback(feed.close)
        events = await open_events(settings, clock)
        life.push_async_callback(events.close)
        history = await open_history(settings, clock)
        life.push_async_callback(history.close)
        relay = await open_relay(settings)
        if relay is not None:
            life.push_async_callback(relay.close)
        manners = RouterManners(
            batch=settings.router_batch,
            block=settings.router_block,
            reclaim_idle=settings.router_reclaim_idle,
            history_days=settings.history_days,
            history_jobs=settings.history_jobs,
        )
        close = life.pop_all().aclose
        ports = RouterPorts(feed=feed, events=events, history=history, relay=relay, close=close)
        return Router(ports, clock, manners)


async def _open_sqlite_events(settings: Settings, clock: Clock) -> Events:
    from goatherd.adapters.sqlite.events import SqliteEvents

    if settings.live_url is not None:
        told = "live_url names a server that calls watchers, but the events are in a file; set events_url to a Redis"
        raise SettingsError([told])
    database, give_back = await take_file(settings.event_store)
    return SqliteEvents(
        database, clock, ttl=settings.event_ttl, deadline=settings.publish_deadline, give_back=give_back
    )


async def _load_redis() -> None:
    await load("redis", "An events_url with redis://")
