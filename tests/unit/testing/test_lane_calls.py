"""Stories: calls of keyed tasks whose attempts come too late."""

import pytest

from goatherd import Context, Goatherd, Retry
from goatherd.errors import Fenced, JobFailed
from goatherd.testing import testing


async def test_who_is_kept_from_its_effect_does_not_answer() -> None:
    app = Goatherd("forum")
    attempts: list[int] = []

    @app.task(key="post_id", retry=Retry(1, base=0))
    async def place(ctx: Context, post_id: int) -> int:
        attempts.append(post_id)
        if len(attempts) == 1:
            raise Fenced("somebody else has the lane")
        return ctx.attempt

    async with testing(app):
        assert await place.call(7) == 2
        assert attempts == [7, 7]


async def test_a_caller_is_told_that_the_effect_was_made_before() -> None:
    app = Goatherd("forum")

    @app.task(key="post_id")
    async def place(post_id: int) -> int:
        raise Fenced("it was written before", applied=True)

    @app.task(key="post_id")
    async def write(post_id: int) -> None:
        raise Fenced("it was written before", applied=True)

    async with testing(app) as t:
        with pytest.raises(JobFailed) as told:
            await place.call(7)
        assert told.value.error_type == "ResultLost"
        # Where there is no result, none is lost.
        await write.call(7)
        assert not t.dead


async def test_who_is_kept_from_its_effect_again_and_again_gives_up() -> None:
    app = Goatherd("forum")
    attempts: list[int] = []

    @app.task(key="post_id", on_exhausted="skip", retry=Retry(2, base=0))
    async def place(post_id: int) -> None:
        attempts.append(post_id)
        raise Fenced("a check of the user's own that is wrong")

    async with testing(app) as t:
        await place.send(7)
        await t.drain()
        assert attempts == [7, 7, 7]
        assert [letter.error_type for letter in t.dead] == ["Fenced"]
