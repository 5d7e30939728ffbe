import asyncio
from collections.abc import Sequence

import pytest

from goatherd.desk import lanes, letters
from goatherd.desk.errors import NotThere
from goatherd.desk.letter_digest import digest_of
from goatherd.desk.letter_facts import LetterChoice
from goatherd.desk.letter_shares import Share
from goatherd.errors import InvalidArguments, Unavailable
from goatherd.model.dead_letter import StoredLetter
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


async def bury(shop: Shop, herd: Herd, *customers: int) -> list[str]:
    """Jobs that fail; their ids."""
    sent = [await shop.refuse.send(customer, password="hush") for customer in customers]
    await herd.drain()
    return sent


async def test_what_died_of_the_same_is_one_group(shop: Shop, herd: Herd) -> None:
    await bury(shop, herd, 1, 2, 30)
    found = await letters.letter_groups(shop.app)
    assert (found.count, found.complete) == (3, True)
    [group] = found.groups
    assert (group.task, group.error_type, group.count, len(group.samples)) == ("refuse", "LookupError", 3, 3)
    page = await letters.letters(shop.app, LetterChoice(group=group.id), limit=2)
    assert (len(page.letters), page.count) == (2, 3)
    assert (await letters.letters(shop.app, LetterChoice(group="other"))).count == 0
    assert (await letters.letters(shop.app, LetterChoice(queue="mail", task="refuse", error="customer 30"))).count == 1


async def test_all_about_one_but_its_secrets(shop: Shop, herd: Herd) -> None:
    [job] = await bury(shop, herd, 1)
    [line] = (await letters.letters(shop.app)).letters
    assert "hush" not in (line.arguments or "")
    for given in (line.id, line.id[-8:], job):
        found = await letters.letter(shop.app, given)
        assert (found.id, found.job_id, found.in_code) == (line.id, job, True)
        assert found.arguments == {"customer": 1, "password": "***"}
        assert "hush" not in found.body
        assert "raise LookupError" in found.traceback
        assert found.why == "its last attempt failed"
    with pytest.raises(NotThere, match="There is no dead letter 'nothing'"):
        await letters.letter(shop.app, "nothing")


async def test_the_impact_is_told_before_anything_is_done(shop: Shop, herd: Herd) -> None:
    shop.broken.add("comment")
    await bury(shop, herd, *range(7))
    await shop.comment.send(7)
    await herd.drain()
    await lanes.skip(shop.app, "post=7")
    told = await letters.impact(shop.app, LetterChoice())
    assert (told.matched, told.chosen, told.into_lanes, told.lanes, told.foreign) == (8, 8, 1, 1, 0)
    assert [(each.task, each.count) for each in told.tasks] == [("refuse", 7), ("comment", 1)]
    tenth = await letters.impact(shop.app, LetterChoice(task="refuse"), Share(percent=10))
    assert (tenth.matched, tenth.chosen) == (7, 1)


async def test_a_share_is_replayed_the_oldest_first(shop: Shop, herd: Herd) -> None:
    jobs = await bury(shop, herd, *range(7))
    shop.broken.add("refuse")
    done = await letters.replay(shop.app, LetterChoice(task="refuse"), Share(percent=10))
    assert (done.matched, done.chosen, done.done, done.left) == (7, 1, 1, 0)
    assert (await letters.letters(shop.app)).count == 6
    assert (await letters.replay(shop.app, LetterChoice(), Share(count=2))).done == 2
    await herd.drain()
    assert {line.job_id for line in (await letters.letters(shop.app)).letters} == set(jobs[3:])
    assert (await letters.replay(shop.app, LetterChoice())).done == 4
    assert (await letters.letters(shop.app)).count == 0


async def test_only_what_was_seen_is_meant(shop: Shop, herd: Herd) -> None:
    await bury(shop, herd, 1)
    seen = (await letters.letter_groups(shop.app)).at
    await herd.advance(5)
    await bury(shop, herd, 2)
    digest_of(shop.app).changed()
    assert (await letters.discard(shop.app, LetterChoice(failed_before=seen))).done == 1
    [left] = (await letters.letters(shop.app)).letters
    assert left.message == "no customer 2"


async def test_what_took_too_long_is_left_for_the_next_time(
    shop: Shop, herd: Herd, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bury(shop, herd, *range(5))
    shop.broken.add("refuse")
    monkeypatch.setattr("goatherd.desk.letter_returns.STEP", 2)
    monkeypatch.setattr("goatherd.desk.letter_returns.BUDGET", 0.0)
    done = await letters.replay(shop.app, LetterChoice())
    assert (done.chosen, done.done, done.left) == (5, 2, 3)
    assert await letters.count(shop.app) == 3
    monkeypatch.setattr("goatherd.desk.letter_returns.BUDGET", 600.0)
    done = await letters.replay(shop.app, LetterChoice())
    assert (done.chosen, done.done, done.left) == (3, 3, 0)


async def test_one_is_edited_and_its_secret_kept(shop: Shop, herd: Herd) -> None:
    [job] = await bury(shop, herd, 1)
    shop.broken.add("refuse")
    with pytest.raises(InvalidArguments, match="customer"):
        await letters.replay_one(shop.app, job, {"customer": "nobody"})
    back = await letters.replay_one(shop.app, job, {"customer": 2, "password": "***"})
    assert (back.job_id, back.lane) == (job, None)
    await herd.drain()
    assert shop.served == [(2, "hush")]
    with pytest.raises(NotThere):
        await letters.replay_one(shop.app, back.id)


async def test_one_of_a_lane_goes_to_its_end(shop: Shop, herd: Herd) -> None:
    shop.broken.add("comment")
    first, second = [await shop.comment.send(7, text) for text in ("first", "second")]
    await herd.drain()
    await lanes.skip(shop.app, "post=7")
    back = await letters.replay_one(shop.app, first)
    assert (back.lane, back.ahead) == ("comments/post=7", 1)
    assert [job.job_id for job in (await lanes.lane(shop.app, "post=7")).jobs] == [second, first]


async def test_one_is_discarded_once(shop: Shop, herd: Herd) -> None:
    await bury(shop, herd, 1)
    [line] = (await letters.letters(shop.app)).letters
    await letters.discard_one(shop.app, line.id)
    assert (await letters.letters(shop.app)).count == 0
    with pytest.raises(NotThere):
        await letters.discard_one(shop.app, line.id)


async def test_what_was_broken_off_is_looked_at_again(shop: Shop, herd: Herd, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows what was done before it was."""
    await bury(shop, herd, 1)
    await letters.letters(shop.app)
    store = shop.app.session().ports.dead_letters
    discard = store.discard

    async def and_die(found: Sequence[StoredLetter]) -> int:
        await discard(found)
        raise Unavailable("the broker went away")

    monkeypatch.setattr(store, "discard", and_die)
    with pytest.raises(Unavailable):
        await letters.discard(shop.app, LetterChoice())
    async with asyncio.timeout(30):
        while (await letters.letters(shop.app)).count:
            await asyncio.sleep(0.01)
