import pytest

from goatherd.desk import queues
from goatherd.desk.errors import NotThere
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


async def test_queues_tell_what_waits_and_whose_it_is(shop: Shop, herd: Herd) -> None:
    await shop.mail.send("a@b.c")
    found = {each.name: each for each in await queues.queues(shop.app)}
    assert (found["mail"].ready, found["mail"].tasks, found["mail"].condition) == (1, ("mail", "refuse"), "no worker")
    assert (found["mail"].arriving, found["mail"].leaving) == (None, None)
    assert (found["comments"].ready, found["comments"].condition) == (0, "idle")
    assert "bake.ice" in found["shop"].tasks
    assert (await queues.queue(shop.app, "mail")).ready == 1


async def test_a_queue_of_listeners_knows_its_task(shop: Shop, herd: Herd) -> None:
    await shop.join.send(2, "Ada")
    assert (await queues.queue(shop.app, "table-2")).tasks == ("join",)


async def test_what_was_done_is_seen_at_once(shop: Shop, herd: Herd) -> None:
    app = shop.app
    await shop.mail.send("a@b.c")
    await queues.queues(app)
    await queues.pause(app, "mail")
    assert (await queues.queue(app, "mail")).condition == "paused"
    await queues.resume(app, "mail")
    assert not (await queues.queue(app, "mail")).paused
    assert await queues.purge(app, "mail") == 1
    assert (await queues.queue(app, "mail")).ready == 0


async def test_a_queue_grows_from_one_look_to_the_next(shop: Shop, herd: Herd) -> None:
    assert (await queues.queue(shop.app, "mail")).growing is None
    await shop.mail.send("a@b.c")
    # A change that this process does not know of is seen a second later; one that it made, at once.
    await queues.resume(shop.app, "mail")
    grown = (await queues.queue(shop.app, "mail")).growing
    assert grown is not None
    assert grown > 0


async def test_a_queue_that_is_not_there(shop: Shop, herd: Herd) -> None:
    for act in (queues.queue, queues.pause, queues.resume, queues.purge):
        with pytest.raises(NotThere, match=r"There is no queue 'nail'. There are .*mail"):
            await act(shop.app, "nail")


async def test_what_waits_in_lanes_is_told(shop: Shop, herd: Herd) -> None:
    for post in (1, 2, 2):
        await shop.comment.send(post, "first")
    comments = await queues.queue(shop.app, "comments")
    assert (comments.lanes, comments.ready, comments.condition) == (2, 0, "no worker")
    assert comments.oldest_age is not None
    assert (await queues.queue(shop.app, "mail")).lanes is None
