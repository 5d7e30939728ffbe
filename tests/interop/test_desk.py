"""What operators ask and do, on a broker of its own: dead letters, queues, and what differs there."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from goatherd.desk import letters, queues
from goatherd.desk.drift import drift
from goatherd.desk.errors import NotThere
from goatherd.desk.letter_facts import LetterChoice
from goatherd.desk.letter_shares import Share
from scripts.servers.management import Management
from tests.unit.desk.shop import Shop, make_shop

pytestmark = [pytest.mark.servers, pytest.mark.timeout(180)]

#: Seconds within which whatever is promised must have happened, on a slow machine too.
PATIENCE = 60.0
LETTERS = 27


@pytest.fixture
async def served(url: str, broker: Management, tmp_path: Path) -> AsyncIterator[Shop]:
    file = f"sqlite:///{tmp_path}/shop.db"
    shop = make_shop(broker_url=url, lanes_url=file, events_url=file, records_url=file, management_url=broker.url)
    async with shop.app.serve("worker"):
        yield shop


async def until(look: Callable[[], Awaitable[Any]], wanted: Callable[[Any], bool]) -> Any:
    async with asyncio.timeout(PATIENCE):
        while not wanted(found := await look()):
            await asyncio.sleep(0.05)
    return found


async def test_dead_letters_are_seen_without_waiting_and_put_back_in_shares(served: Shop) -> None:
    app = served.app
    for customer in range(LETTERS):
        await served.refuse.send(customer, password="hush")
    await until(lambda: letters.count(app), lambda count: count == LETTERS)
    found = await letters.letter_groups(app)
    [group] = found.groups
    assert (group.count, group.task, found.complete) == (LETTERS, "refuse", True)
    # What was seen is at hand, also while somebody else has the letters.
    async with app.session().ports.dead_letters._look() as look:  # type: ignore[attr-defined]  # as another program would
        await anext(look)
        page = await letters.letters(app, limit=1)
        one = await letters.letter(app, page.letters[0].id)
    assert one.arguments is not None
    assert (one.arguments["password"], one.error_type) == ("***", "LookupError")
    told = await letters.impact(app, LetterChoice(group=group.id), Share(percent=10))
    assert (told.matched, told.chosen) == (LETTERS, 2)
    served.broken.add("refuse")
    done = await letters.replay(app, LetterChoice(group=group.id, failed_before=told.at), Share(percent=10))
    assert (done.matched, done.done) == (LETTERS, 2)
    await until(lambda: letters.letters(app), lambda page: page.count == LETTERS - 2)
    back = await letters.replay_one(app, one.id, {"customer": 1000, "password": "***"})
    await until(lambda: _served(served), lambda served: (1000, "hush") in served)
    with pytest.raises(NotThere):
        await letters.replay_one(app, back.id)
    rest = await letters.discard(app, LetterChoice())
    assert (rest.done, rest.left) == (LETTERS - 3, 0)
    assert (await until(lambda: letters.letter_groups(app), lambda found: not found.groups)).count == 0


async def _served(shop: Shop) -> list[tuple[int, str]]:
    return shop.served


async def test_queues_are_counted_by_the_broker_too(served: Shop) -> None:
    app = served.app
    await queues.pause(app, "mail")
    await until(lambda: queues.queue(app, "mail"), lambda queue: queue.paused and not queue.consumers)
    for customer in range(5):
        await served.mail.send(f"{customer}@shop")
    found = await until(lambda: queues.queue(app, "mail"), lambda queue: queue.ready == 5 and queue.oldest_age)
    assert found.tasks == ("mail", "refuse")
    await until(lambda: queues.queue(app, "mail"), lambda queue: queue.arriving is not None)
    assert await queues.purge(app, "mail") == 5


async def test_what_differs_on_the_broker_is_told(served: Shop, broker: Management, virtual_host: str) -> None:
    assert (await drift(served.app)).state == "same"
    broker.ask("DELETE", f"queues/{virtual_host}/comments")
    found = await drift(served.app, anew=True)
    assert (found.state, found.counts["create"]) == ("drift", 1)
    assert [(each.told, each.name) for each in found.differences if each.change == "create"] == [
        ("create queue", "comments")
    ]
