"""What becomes of comments: accepted, written once and in order, tried again, held, skipped."""

import pytest

from examples.comments.api.accepting import Draft, PartlyRefused, accept
from examples.comments.api.bodies import Entry
from examples.comments.api.views import one_post
from examples.comments.database.changes import NoSuchPost
from examples.comments.herd import settings
from examples.comments.worker.service import close_post, create_comment, edit_comment, like
from examples.comments.worker.writing import Submitted, begin
from examples.running.database.database import Database
from goatherd.errors import Refused
from goatherd.testing import Herd


async def entries(database: Database, post_id: int = 1) -> list[Entry]:
    return (await one_post(database, post_id, 100)).entries


def drafts(*texts: str, post_id: int = 1) -> list[Draft]:
    return [Draft(post_id, "Ada", text) for text in texts]


async def test_comments_are_written_in_the_order_of_their_numbers(herd: Herd, database: Database) -> None:
    await accept([Draft(post_id, "Ada", text) for text in ("a", "b", "c") for post_id in (2, 1)])
    assert {one.state for one in await entries(database)} == {"waiting"}
    await herd.drain()
    for post_id in (1, 2):
        written = await entries(database, post_id)
        assert [(one.number, one.place, one.text) for one in written] == [(1, 1, "a"), (2, 2, "b"), (3, 3, "c")]
        assert {(one.state, one.worker, one.tries) for one in written} == {("done", "test", 1)}


async def test_a_worker_that_dies_after_the_effect_does_not_have_it_twice(herd: Herd, database: Database) -> None:
    herd.crash(create_comment, at="end")
    await accept(drafts("a", "b"))
    await herd.drain()
    assert [job.attempts for job in herd.jobs(create_comment)] == [2, 1]
    assert [(one.number, one.place, one.state) for one in await entries(database)] == [(1, 1, "done"), (2, 2, "done")]
    assert await database.read("SELECT count(*) FROM comment") == [(2,)]


async def test_a_comment_whose_acceptance_was_not_noted_is_written(herd: Herd, database: Database) -> None:
    await create_comment.send(post_id=1, number=7, author="Ada", text="Hello!")
    await herd.drain()
    [entry] = await entries(database)
    assert (entry.number, entry.place, entry.state) == (7, 1, "done")


async def test_a_comment_that_fails_is_tried_again_before_the_next(herd: Herd, database: Database) -> None:
    await accept(drafts("fail 1", "behind it"))
    await herd.drain()
    assert [one.state for one in await entries(database)] == ["retrying", "waiting"]
    await herd.advance(settings.retry_base)
    assert [(one.place, one.tries) for one in await entries(database)] == [(1, 2), (2, 1)]


async def test_a_comment_that_never_gets_through_holds_its_post(herd: Herd, database: Database) -> None:
    await accept([*drafts("fail", "behind it"), *drafts("elsewhere", post_id=2)])
    await herd.advance(10 * settings.retry_base)
    held, behind = await entries(database)
    assert (held.state, held.tries, behind.state) == ("held", 3, "waiting")
    assert "never gets through" in held.told
    assert [one.state for one in await entries(database, 2)] == ["done"]


async def test_one_that_the_lane_has_passed_was_skipped(herd: Herd, database: Database) -> None:
    [passed] = await accept(drafts("fail"))
    await herd.advance(10 * settings.retry_base)
    async with database.transaction() as desk:
        after = Submitted(id="after", post_id=1, number=passed.number + 1, author="Ada", text="I am next")
        await begin(desk, after, "test")
    assert [one.state for one in await entries(database)] == ["skipped", "writing"]


async def test_an_edit_finds_its_comment_written(herd: Herd, database: Database) -> None:
    [accepted] = await accept(drafts("A tpyo"))
    await edit_comment.send(post_id=1, comment_id=accepted.id, text="A typo")
    await edit_comment.send(post_id=1, comment_id="nobody", text="nothing")
    await herd.drain()
    assert [(one.text, one.edits) for one in await entries(database)] == [("A typo", 1)]


async def test_what_was_submitted_before_the_closing_is_written(herd: Herd, database: Database) -> None:
    await accept(drafts("before"))
    await close_post.send(post_id=1, closed=True)
    await accept(drafts("after"))
    await close_post.send(post_id=1, closed=False)
    await accept(drafts("again"))
    await herd.drain()
    assert [one.state for one in await entries(database)] == ["done", "refused", "done"]


async def test_the_last_word_of_each_user_holds(herd: Herd, database: Database) -> None:
    for who, words in {"Ada": (True, False), "Bob": (True, False, True), "Cem": (True, True)}.items():
        for liked in words:
            await like.send(post_id=1, who=who, liked=liked)
    await herd.drain()
    assert (await one_post(database, 1, 0)).likes == 2


async def test_a_lane_that_is_full_takes_no_more(herd: Herd, database: Database) -> None:
    with pytest.raises(PartlyRefused) as raised:
        await accept([*drafts(*(["a"] * (settings.lane_limit + 2))), *drafts("elsewhere", post_id=2)])
    assert isinstance(raised.value.refusal, Refused)
    assert len(raised.value.accepted) == settings.lane_limit + 1
    await herd.drain()
    assert (await one_post(database, 1, 0)).written == settings.lane_limit
    assert (await one_post(database, 2, 0)).written == 1


async def test_nothing_is_accepted_for_a_post_that_is_not_there(herd: Herd, database: Database) -> None:
    with pytest.raises(NoSuchPost):
        await accept([*drafts("a"), *drafts("b", post_id=999)])
    await herd.drain()
    assert await entries(database) == []
