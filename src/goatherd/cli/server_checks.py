"""What `goatherd doctor` says about the servers that the settings name; each is asked for itself, and all at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, wrong
from goatherd.cli.durations import spoken
from goatherd.errors import GoatherdError, SettingsError
from goatherd.model.server_facts import BrokerFacts, PostgresFacts, RedisFacts

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.wiring.server_facts import Question, ServerFacts

#: Seconds that a server has.
DEADLINE = 15.0
#: Seconds by which clocks may differ.
MOST_SKEW = 1.0
_HANGS = "See whether it hangs"
_SEE_BROKER = (
    "Set GOATHERD_MANAGEMENT_URL to where the management API is, for a user with the tag monitoring "
    "(rabbitmqctl set_user_tags NAME monitoring)."
)


async def server_checks(app: Goatherd) -> AsyncIterator[Check]:
    """How each is set up, and whether its clock is ours; nothing for an app that has none."""
    from goatherd.wiring.server_facts import server_questions

    try:
        questions = await server_questions(app.settings, app.clock)
    except SettingsError as error:
        for problem in error.problems:
            yield wrong("servers", problem)
        return
    except GoatherdError as error:
        yield wrong("servers", str(error))
        return
    answers = await asyncio.gather(*(_asked(question) for _, question in questions))
    for (server, _), answer in zip(questions, answers, strict=True):
        if isinstance(answer, GoatherdError | TimeoutError):
            yield _unseen(server, answer)
        else:
            for check in _judged(app, answer):
                yield check


async def _asked(question: Question) -> ServerFacts | GoatherdError | TimeoutError:
    try:
        async with asyncio.timeout(DEADLINE):
            return await question()
    except (GoatherdError, TimeoutError) as error:
        return error


def _unseen(server: str, error: GoatherdError | TimeoutError) -> Check:
    why = f"{server} did not answer within {DEADLINE:g} s" if isinstance(error, TimeoutError) else str(error)
    if isinstance(error, SettingsError):
        why = "; ".join(error.problems)
    if server.startswith("http"):
        # Jobs go on without it.
        mend = _SEE_BROKER if isinstance(error, GoatherdError) else f"{_HANGS} (rabbitmq-diagnostics status)."
        return warning("broker", f"its disk, memory and clock were not looked at: {why}", mend)
    return wrong("servers", why, "" if isinstance(error, GoatherdError) else f"{_HANGS}.")


def _judged(app: Goatherd, facts: ServerFacts) -> Iterator[Check]:
    from goatherd.cli.postgres_checks import postgres_checks
    from goatherd.cli.rabbitmq_checks import broker_checks
    from goatherd.cli.redis_checks import redis_checks

    match facts:
        case RedisFacts():
            yield from redis_checks(facts, volatile_lanes=app.settings.volatile_lanes)
        case PostgresFacts():
            yield from postgres_checks(facts, app)
        case BrokerFacts():
            yield from broker_checks(facts, app.settings.queue_type)
    yield from _clock(facts)


def _clock(facts: ServerFacts) -> Iterator[Check]:
    if facts.skew is None or facts.skew.at_least < MOST_SKEW:
        return
    side = "ahead of" if facts.skew.seconds > 0 else "behind"
    found = f"{facts.server} is {spoken(abs(facts.skew.seconds))} {side} this machine"
    mend = (
        "Delays, deadlines and schedules are kept by several clocks: let NTP set those of both machines (`timedatectl` "
        "or `chronyc tracking` tells whether it does)."
    )
    yield warning("clock", found, mend)
