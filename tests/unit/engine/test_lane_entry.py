"""Stories: keyed jobs of programs that know nothing of lanes are put into theirs."""

import asyncio
import json
from typing import Any

import pytest

from goatherd import Context, Goatherd
from goatherd.engine.lane_entry import AGAIN_AFTER
from tests.unit.engine.lane_stage import LaneStage, on_lanes
from tests.unit.engine.stage import PATIENCE, HandClock, Notes


def foreign(job: str = "f1", **payload: Any) -> bytes:
    return json.dumps({"task_id": job, "step": "comment", "payload": {"post": 1, **payload}}).encode()


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def fences() -> list[str]:
    return []


@pytest.fixture
def forum(app: Goatherd, notes: Notes, fences: list[str]) -> Goatherd:
    @app.task(key="post", lane_limit=2, on_exhausted="skip")
    async def comment(ctx: Context, post: int, text: str = "") -> str:
        fences.append(ctx.fence.key)
        notes(text)
        if text == "bad":
            raise ValueError("bad")
        return text

    return app


async def deliver(stage: LaneStage, *bodies: bytes, **said: Any) -> None:
    for number, body in enumerate(bodies):
        await stage.stage.publish("shop", body, **{"id": f"m{number}", **said})


async def test_a_stranger_s_job_is_done_in_its_lane(forum: Goatherd, notes: Notes, fences: list[str]) -> None:
    async with on_lanes(forum) as stage:
        await deliver(stage, foreign(text="hello"))
        await notes.saw("hello")
        await stage.stage.saw("acked")
        await stage.emptied()
        assert fences == ["shop/post=1"]
        assert await stage.stage.letters() == []


async def test_it_is_put_there_once_however_often_it_is_delivered(forum: Goatherd, notes: Notes) -> None:
    async with on_lanes(forum) as stage:
        await deliver(stage, foreign(text="hello"), foreign(text="hello"))
        await stage.stage.saw("acked", 2)
        await notes.saw("hello")
        await stage.emptied()
        assert notes.counted["hello"] == 1


async def test_its_failure_is_a_failure_in_its_lane(forum: Goatherd, notes: Notes) -> None:
    async with on_lanes(forum) as stage:
        await deliver(stage, foreign(text="bad"))
        await notes.saw("bad")
        await stage.emptied()
        while not (letters := await stage.stage.letters()):
            await stage.saw("GiveUpHead")
        [letter] = letters
        assert (letter.job_id, letter.reason, letter.error_type) == ("f1", "failed", "ValueError")


async def test_wrong_arguments_are_a_dead_letter_and_no_lane(forum: Goatherd) -> None:
    async with on_lanes(forum) as stage:
        await deliver(stage, foreign(post="seven"))
        letter = await stage.stage.letter()
        assert (letter.reason, letter.error_type) == ("invalid", "InvalidArguments")
        assert await stage.lanes() == []


async def test_a_key_that_is_none_is_a_dead_letter(app: Goatherd) -> None:
    @app.task(key="post")
    async def comment(post: int | None = None) -> None: ...

    async with on_lanes(app) as stage:
        await deliver(stage, foreign(post=None))
        letter = await stage.stage.letter()
        assert letter.reason == "invalid"
        assert "it is the job's key" in letter.message


async def test_a_key_function_that_fails_is_a_dead_letter(app: Goatherd) -> None:
    def by_zero(post: int) -> int:
        return 7 // (post - 1)

    @app.task(key=by_zero)
    async def comment(post: int) -> None: ...

    async with on_lanes(app) as stage:
        await deliver(stage, foreign())
        letter = await stage.stage.letter()
        assert (letter.reason, letter.error_type) == ("invalid", "ZeroDivisionError")
        assert "by_zero" in letter.message
        with pytest.raises(ZeroDivisionError):
            await comment.send(1)


async def test_a_full_lane_is_offered_the_job_again(forum: Goatherd, notes: Notes, clock: HandClock) -> None:
    async with on_lanes(forum) as stage:
        comment = forum.tasks["comment"]
        for text in "ab":
            await comment.options(delay=60, keep_place=True).send(1, text)
        await deliver(stage, foreign(text="c"))
        await stage.stage.saw("replaced")
        [following] = stage.stage.following
        assert following.due == clock.now() + AGAIN_AFTER
        clock.advance(60)
        await notes.saw("b")
        async with asyncio.timeout(PATIENCE):
            # It may come once more while the lane is still full.
            while not notes.counted["c"]:
                clock.advance(AGAIN_AFTER)
                await asyncio.sleep(0.01)
        assert list(notes.counted) == ["a", "b", "c"]


async def test_lanes_that_are_away_are_offered_the_job_again(make_app: Any, notes: Notes) -> None:
    app = make_app(publish_deadline=0.2)
    clock = app.clock = HandClock()

    @app.task(key="post")
    async def comment(post: int) -> None:
        notes("done")

    async with on_lanes(app) as stage:
        stage.road.closed = True
        await deliver(stage, foreign())
        await stage.stage.saw("replaced")
        stage.road.closed = False
        clock.advance(AGAIN_AFTER)
        await notes.saw("done")


async def test_a_fault_of_ours_leaves_no_delivery_behind(forum: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_lanes(forum) as stage:

        async def fail(*_: Any) -> None:
            raise RuntimeError("ours")

        monkeypatch.setattr("goatherd.engine.lane_entry.LaneEntry.place", fail)
        await deliver(stage, foreign())
        await stage.stage.saw("replaced")
        assert stage.stage.worker.running == 0
