"""The tasks: what is done in which order is said by `key` and `lane`."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from examples.comments.herd import comments, database, settings
from examples.comments.worker import writing
from examples.comments.worker.checking import CheckFailed, check
from examples.comments.worker.writing import Submitted
from examples.running.database.database import DatabaseAway
from goatherd import Context, DeadLetter, Retry, RetryLater

RETRIES = 2
#: A comment is tried three times; then its post waits for an operator, so that nothing overtakes it.
COMMENT_RETRY = Retry(RETRIES, base=settings.retry_base, jitter=0, on=CheckFailed)


@comments.task(
    queue="comments", key="post_id", lane="posts", retry=COMMENT_RETRY, on_exhausted="hold",
    lane_limit=settings.lane_limit,
)  # fmt: skip
async def create_comment(ctx: Context, post_id: int, number: int, author: str, text: str) -> int | None:
    """Write a comment; its place under the post, or None if the post takes none any more."""
    one = Submitted(id=ctx.job_id, post_id=post_id, number=number, author=author, text=text)
    async with database.transaction() as desk:
        tries = await writing.begin(desk, one, settings.worker)
    try:
        await check(text, tries, settings.pause)
    except CheckFailed as error:
        async with database.transaction() as desk:
            await writing.tell(desk, one, "retrying" if ctx.attempt <= RETRIES else "held", str(error))
        raise
    async with database.transaction() as desk:
        place = await writing.write(desk, one)
        await ctx.commit_with(desk.connection)
    return place


@comments.task(queue="comments", key="post_id", lane="posts")
async def edit_comment(ctx: Context, post_id: int, comment_id: str, text: str) -> bool:
    """Change a comment; it may still wait to be written when this is sent, for then it is written first."""
    async with database.transaction() as desk:
        was_written = await writing.edit(desk, post_id, comment_id, text)
        await ctx.commit_with(desk.connection)
    return was_written


@comments.task(queue="moderation", key="post_id", lane="posts")
async def close_post(ctx: Context, post_id: int, closed: bool) -> None:
    """Take no more comments: what was submitted before is written, what comes after is not.

    Another queue, and so perhaps other workers, but the same lanes: `lane="posts"`.
    """
    async with database.transaction() as desk:
        await writing.close(desk, post_id, closed)
        await ctx.commit_with(desk.connection)


def liker(post_id: int, who: str, liked: bool) -> str:
    """Likes of one user of one post keep their order; all others need none."""
    return f"{post_id}/{who}"


@comments.task(queue="likes", key=liker)
async def like(ctx: Context, post_id: int, who: str, liked: bool) -> None:
    """Like a post, or not any more."""
    async with database.transaction() as desk:
        await writing.like(desk, post_id, who, liked)
        await ctx.commit_with(desk.connection)


@comments.on_dead_letter
async def skipped(letter: DeadLetter) -> None:
    """Show that an operator passed over a comment."""
    if letter.task != create_comment.name or letter.arguments is None:
        return
    one = Submitted(id=letter.job_id, **msgspec.convert(letter.arguments, dict[str, Any]))
    async with database.transaction() as desk:
        await writing.tell(desk, one, "skipped", letter.message)


@comments.around
async def patient(ctx: Context) -> AsyncIterator[None]:
    """A database that is away is no fault of the job: it is tried again for as long as that takes."""
    try:
        yield
    except DatabaseAway as error:
        ctx.log.warning("%s", error)
        raise RetryLater(after=1, count=False) from error


@comments.lifespan
async def working() -> AsyncIterator[None]:
    """Open the database before the first job, and close it after the last."""
    await database.open()
    yield
    await database.close()
