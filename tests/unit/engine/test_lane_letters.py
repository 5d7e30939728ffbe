"""Jobs that leave their lanes come to the dead letters, and from there back to the ends of their lanes."""

from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.engine.lane_letters import BATCH, stored_letter
from goatherd.errors import Unavailable
from goatherd.model.dead_letter import Burial, LetterFilter, StoredLetter
from goatherd.model.ids import new_id
from goatherd.model.lane import Exchange, LaneLetter, TryAgain, unpacked
from goatherd.model.message import LANE, Message
from goatherd.ports.lanes import LaneOperations
from goatherd.task import Task
from tests.unit.engine.stage import Stage, opened

WHY = Burial(reason="failed", error_type="LookupError", message="no post", attempts=2, failed_at=200.0)
POST = "comments/post_id=7"
ALL = LetterFilter()


@pytest.fixture
def comment(app: Goatherd) -> Task[Any, None]:
    @app.task(queue="comments", key="post_id")
    async def comment(post_id: int, text: str) -> None: ...

    return comment


async def operations_of(app: Goatherd) -> LaneOperations:
    return (await app.session().lanes()).operations


async def skipped(stage: Stage, key: str = POST) -> None:
    """Let a lane's head become a letter, which is only done to one that waits."""
    lanes = await operations_of(stage.app)
    assert await lanes.skip(key, WHY)
    await stage.app.session().carry_letters()


async def texts(app: Goatherd, key: str = POST) -> list[str]:
    """What is in a lane, in order."""
    jobs = await (await operations_of(app)).jobs(key, 1000)
    return [unpacked(job.content).body.decode().partition('"text":"')[2].partition('"')[0] for job in jobs]


# --- to the dead letters -----------------------------------------------------------------------


async def test_a_letter_tells_what_died_of_what_and_in_which_lane(app: Goatherd, comment: Task[Any, None]) -> None:
    async with opened(app) as stage:
        job = await comment.options(delay=100, keep_place=True).send(7, "one")
        await skipped(stage)
        [letter] = await stage.letters()
        assert (letter.job_id, letter.task, letter.queue, letter.key) == (job, "comment", "comments", "post_id=7")
        assert (letter.reason, letter.error_type, letter.attempts) == ("failed", "LookupError", 2)
        assert letter.arguments == {"post_id": 7, "text": "one"}


async def test_letters_are_carried_until_none_is_left(app: Goatherd, comment: Task[Any, None]) -> None:
    many = BATCH + 20
    async with opened(app) as stage:
        late = comment.options(delay=100, keep_place=True)
        await app.send_many(late.job(number, f"{number}") for number in range(many))
        lanes = await operations_of(app)
        for number in range(many):
            assert await lanes.skip(f"comments/post_id={number}", WHY)
        await app.session().carry_letters()
        assert [letter.arguments and letter.arguments["post_id"] for letter in await stage.letters()] == list(
            range(many)
        )
        assert await (await app.session().lanes()).lanes.letters(1) == []


async def test_a_carrier_that_dies_on_the_way_leaves_no_second_letter(
    app: Goatherd, comment: Task[Any, None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(app) as stage:
        await comment.options(delay=100, keep_place=True).send(7, "one")
        lanes = (await app.session().lanes()).lanes

        async def lost(ids: object) -> None:
            raise Unavailable("away")

        with monkeypatch.context() as patch:
            patch.setattr(lanes, "remove_letters", lost)
            with pytest.raises(Unavailable):
                await skipped(stage)
        assert len(await stage.letters()) == 1
        await app.session().carry_letters()
        assert len(await stage.letters()) == 1


def test_bytes_that_cannot_be_read_are_kept_as_they_are() -> None:
    stored = stored_letter(LaneLetter(id="l", lane=POST, content=b"\xc1 broken", accepted=1.0, burial=WHY))
    assert (stored.id, stored.original.queue, stored.original.body) == ("l", "comments", b"\xc1 broken")
    assert stored.original.headers == {LANE: POST}


# --- and back ------------------------------------------------------------------------------------


async def test_a_replayed_job_goes_to_the_end_of_its_lane(app: Goatherd, comment: Task[Any, None]) -> None:
    async with opened(app) as stage:
        await comment.options(delay=100, keep_place=True).send(7, "one")
        await skipped(stage)
        await app.send_many(comment.job(7, text) for text in ("two", "three"))
        office = stage.office
        [letter] = await stage.letters()
        assert await office.replay_one(letter.id)
        assert [(each.job_id, each.lane, each.ahead) for each in office.returned] == [(letter.job_id, POST, 2)]
        assert await texts(app) == ["two", "three", "one"]
        assert await stage.letters() == []
        [*_, last] = await (await operations_of(app)).jobs(POST, 10)
        assert unpacked(last.content).due is None


async def test_many_of_several_lanes_and_of_none_are_replayed(app: Goatherd, comment: Task[Any, None]) -> None:
    @app.task(queue="mail")
    async def mail() -> None: ...

    async with opened(app) as stage:
        for post in (7, 8, 9):
            await comment.options(delay=100, keep_place=True).send(post, f"{post}")
            await skipped(stage, f"comments/post_id={post}")
        loose = Message(id="m", queue="mail", body=b'{"task_id":"m","step":"mail","payload":{}}')
        letters = app.session().ports.dead_letters
        await letters.keep([StoredLetter(id="m", original=loose, accepted=1.0, burial=WHY)])
        office = stage.office
        assert [done async for done in office.replay(ALL)] == [4]
        assert [each.lane for each in office.returned] == [f"comments/post_id={post}" for post in (7, 8, 9)]
        assert await stage.letters() == []


async def test_a_job_whose_id_is_known_to_its_lane_is_not_lost(app: Goatherd, comment: Task[Any, None]) -> None:
    """Lanes remember ids that senders chose, and those of jobs that were put back, for an hour."""
    async with opened(app) as stage:
        await comment.options(id="mine", delay=100, keep_place=True).send(7, "one")
        await skipped(stage)
        for _ in range(2):
            [letter] = await stage.letters()
            assert await stage.office.replay_one(letter.id)
            assert await texts(app) == ["one"]
            await _let_it_wait(app)
            await skipped(stage)
        assert [letter.job_id for letter in await stage.letters()] == ["mine"]


async def _let_it_wait(app: Goatherd) -> None:
    """Fail the head of the lane as a worker does."""
    lanes, worker = (await app.session().lanes()).lanes, new_id()
    [claim] = (await lanes.exchange(Exchange(worker=worker, number=1, queues=["comments"], wanted=1))).claims
    again = TryAgain(hold=claim.hold, content=claim.content, delay=100.0)
    await lanes.exchange(Exchange(worker=worker, number=2, settled=[again]))


async def test_a_replay_that_was_cut_off_puts_the_job_back_once(
    app: Goatherd, comment: Task[Any, None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(app) as stage:
        await comment.options(delay=100, keep_place=True).send(7, "one")
        await skipped(stage)
        [letter] = await stage.letters()
        letters = app.session().ports.dead_letters

        async def lost(letters: object) -> int:
            raise Unavailable("away")

        with monkeypatch.context() as patch:
            patch.setattr(letters, "discard", lost)
            with pytest.raises(Unavailable):
                await stage.office.replay_one(letter.id)
        assert [kept.id for kept in await stage.letters()] == [letter.id]
        office = stage.office
        assert await office.replay_one(letter.id)
        assert [each.ahead for each in office.returned] == [None]
        assert await texts(app) == ["one"]
        assert await stage.letters() == []


async def test_a_replay_that_finds_the_lanes_away_leaves_the_letter(app: Goatherd, comment: Task[Any, None]) -> None:
    async with opened(app) as stage:
        await comment.options(delay=100, keep_place=True).send(7, "one")
        await skipped(stage)
        [letter] = await stage.letters()

        async def away() -> Any:
            raise Unavailable("no lanes")

        office = DeadLetterOffice(app.session().ports.dead_letters, app.format_of, away)
        with pytest.raises(Unavailable, match="no lanes"):
            await office.replay_one(letter.id)
        assert [kept.id for kept in await stage.letters()] == [letter.id]


async def test_other_arguments_may_belong_in_another_lane(app: Goatherd, comment: Task[Any, None]) -> None:
    async with opened(app) as stage:
        await comment.options(delay=100, keep_place=True).send(7, "one")
        await skipped(stage)
        [letter] = await stage.letters()
        lane = comment.job(8, "eight").lane
        assert await stage.office.replay_one(letter.id, {"post_id": 8, "text": "eight"}, lane)
        assert await texts(app, "comments/post_id=8") == ["eight"]
        assert await texts(app) == []
