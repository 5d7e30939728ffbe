"""From the settings to what each server that they name tells about itself."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeAlias

from goatherd.errors import MissingExtra
from goatherd.model.server_facts import BrokerFacts, PostgresFacts, RedisFacts
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.wiring.loading import load
from goatherd.wiring.plumbing import management_of

ServerFacts: TypeAlias = RedisFacts | PostgresFacts | BrokerFacts
Question: TypeAlias = Callable[[], Awaitable[ServerFacts]]


async def server_questions(settings: Settings, clock: Clock) -> Sequence[tuple[str, Question]]:
    """What is asked of each server, with its address, and not asked yet; raises SettingsError or MissingExtra.

    Each answer raises Unavailable or SettingsError, or comes within seconds. One address may be there twice: another
    user may be met by other settings of the same database.
    """
    questions: list[tuple[str, Question]] = []
    if settings.broker_url.startswith("amqp"):
        questions.append(_broker_question(settings, clock))
    urls = (settings.lane_store, settings.event_store, settings.record_store)
    if any(url.startswith("redis") for url in urls):
        await load("redis", "A URL with redis://")
        from goatherd.adapters.redis.facts import redis_facts, redis_servers

        for address, uses in redis_servers(settings):
            questions.append((str(address), partial(redis_facts, address, uses, clock.now)))
    if any(url.startswith("postgres") for url in urls):
        await load("postgres", "A URL with postgresql://")
        from goatherd.adapters.postgres.facts import postgres_facts, postgres_servers

        for database, uses in postgres_servers(settings).values():
            questions.append((str(database), partial(postgres_facts, database, uses, clock.now)))
    return questions


def _broker_question(settings: Settings, clock: Clock) -> tuple[str, Question]:
    try:
        from goatherd.adapters.rabbitmq.address import read_address
        from goatherd.adapters.rabbitmq.facts import broker_facts
    except ImportError as error:
        raise MissingExtra("A broker_url with amqp://", "rabbitmq") from error
    management = management_of(settings, read_address(settings.broker_url))
    return str(management.address), partial(broker_facts, management, clock.now)
