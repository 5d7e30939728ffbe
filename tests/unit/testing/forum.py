"""A small forum whose comments are kept in order, for the stories in this folder."""

from goatherd import Context, DeadLetter, GiveUp, Goatherd, Retry

forum = Goatherd("forum", concurrency=4)

#: What was done, in order.
written: list[str] = []


@forum.on_dead_letter
async def review(letter: DeadLetter) -> None:
    written.append(f"told of {letter.task}: {letter.error_type}")


@forum.task(queue="comments", key="post_id", retry=Retry(2, base=10, factor=3, max=100, jitter=0))
async def create_comment(ctx: Context, post_id: int, text: str) -> str:
    return _write(ctx, f"{post_id}: {text}")


@forum.task(queue="likes", key="post_id", on_exhausted="skip", retry=Retry(0), lane_limit=3)
async def like(ctx: Context, post_id: int, text: str = "like") -> str:
    return _write(ctx, f"{post_id}: {text}")


@forum.task(queue="likes", key=lambda post_id, step: f"{post_id}", on_exhausted="cancel_rest")
async def publish(ctx: Context, post_id: int, step: str) -> str:
    return _write(ctx, f"{post_id}: {step}")


@forum.task
async def greet(name: str) -> str:
    written.append(f"hello {name}")
    return name


def _write(ctx: Context, text: str) -> str:
    written.append(text)
    if "spam" in text:
        raise GiveUp("spam")
    if "flaky" in text and ctx.attempt < 3:
        raise ConnectionError("no route")
    return text.upper()


def about(post: int) -> list[str]:
    """What was written about a post, in order."""
    return [line.partition(": ")[2] for line in written if line.startswith(f"{post}: ")]
