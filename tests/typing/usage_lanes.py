"""Order by key, as users write it."""

from datetime import timedelta
from typing import Any

from goatherd import Context, Goatherd, Retry, Tally, sync
from goatherd.errors import Refused
from goatherd.sync import blocking
from goatherd.testing import testing

comments = Goatherd("comments", lanes_url="redis://localhost:6379/0", lease=15)


@comments.task(queue="comments", key="post_id", on_exhausted="skip", lane_limit=10_000)
async def create_comment(ctx: Context, post_id: int, text: str) -> int:
    connection = connect()
    with connection:
        connection.execute("INSERT INTO comments VALUES (?, ?)", (post_id, text))
        await ctx.commit_with(connection)
    return len(text)


@comments.task(queue="comments", key="post_id", lane="posts")
def edit_comment(ctx: sync.Context, post_id: int, comment_id: int, text: str) -> None:
    ctx.log.info("fence %s/%d/%d", ctx.fence.key, ctx.fence.token, ctx.fence.seq)
    ctx.commit_with(connect())


def liker(post_id: int, user_id: int) -> str:
    return f"{post_id}/{user_id}"


@comments.task(queue="likes", key=liker)
async def like(post_id: int, user_id: int) -> None: ...


gifts = comments.tally("gifts")


@gifts.flush(every=5, queue="gifts", retry=Retry(3), timeout=timedelta(minutes=1))
async def apply_gifts(ctx: Context, streamer: str, total: int) -> None:
    print(ctx.fence, streamer, total)


other_gifts: Tally = comments.tally("other gifts")


@other_gifts.flush(every=timedelta(seconds=5), remote=True)
def apply_elsewhere(streamer: str, total: int) -> bool:
    return total > 0


async def give() -> None:
    await gifts.add("ann", 100)
    await gifts.add("ann", 100, id="gift-1")
    await apply_gifts.send("ann", 100)
    applied: bool = await apply_elsewhere.call("ann", 100)
    print(applied)
    blocking(gifts).add("ann", 100, id="gift-2")


def connect() -> Any: ...


async def submit() -> int:
    await like.send(post_id=7, user_id=1)
    await like.options(delay=60, keep_place=True).send(7, 2)
    await comments.send_many([create_comment.job(7, "first"), edit_comment.job(7, 1, "second")])
    try:
        return await create_comment.call(post_id=7, text="third")
    except Refused as refused:
        print(refused.limit, refused.jobs)
        raise


async def test_a_lane_keeps_its_order() -> None:
    async with testing(comments) as t:
        t.crash(create_comment, at="end")
        t.lose_lease(edit_comment, times=2)
        await create_comment.send(7, "first")
        await t.drain()
        [job] = t.jobs(create_comment)
        assert (job.state, job.attempts) == ("done", 2)
        assert not t.dead
