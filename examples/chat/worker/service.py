"""The chat-worker: one question is one job, in four stages."""

from collections.abc import AsyncIterator
from contextlib import aclosing

from msgspec import Struct

from examples.chat.herd import chat, questions, settings
from examples.chat.worker.intent import Intent, intent_of
from examples.chat.worker.providers.provider import Question
from examples.chat.worker.staff import Staff
from goatherd import Context, Retry

staff = Staff(settings)


class Answer(Struct, frozen=True, kw_only=True):
    """What `done` tells."""

    text: str
    intent: Intent
    sources: list[str]
    provider: str


@chat.task(name="chat.process", queue=questions, tracked=True, timeout=120, retry=Retry(2))
async def process(  # noqa: PLR0913, PLR0917 - the arguments are the contract's
    ctx: Context,
    job_id: str,
    session_id: str,
    message: str,
    user_id: str | None = None,
    image_url: str | None = None,
    user_location: dict[str, float] | None = None,
    model: str | None = None,
) -> Answer:
    """Answer one message; whoever watches the job sees each stage, and the words as they are written."""
    if job_id != ctx.job_id:
        ctx.log.warning("job_id is %s, but the job is watched by the id of its task, %s", job_id, ctx.job_id)
    provider = staff.provider(model)
    intent = intent_of(message, image_url)
    await ctx.progress("intent", 10, status="completed", intent=intent)

    picture = None
    if image_url is not None:
        await ctx.progress("vision", 20, status="started")
        picture = await provider.see(image_url, model)
        await ctx.progress("vision", 30, status="completed", picture=picture)

    passages = [] if intent == "greeting" else staff.search(message)
    sources = list(dict.fromkeys(passage.source for passage in passages))
    await ctx.progress("retrieval", 50, status="completed", sources=sources)

    await ctx.progress("answer", 60, status="started", provider=provider.name, sources=sources)
    question = Question(message=message, passages=passages, picture=picture, location=user_location, model=model)
    text = ""
    async with aclosing(provider.answer(question)) as pieces:
        async for piece in pieces:
            text += piece
            await ctx.token(piece)
    return Answer(text=text, intent=intent, sources=sources, provider=provider.name)


@chat.lifespan
async def working() -> AsyncIterator[None]:
    """Read the documents before the first question, and close everything after the last."""
    await staff.arrive()
    yield
    await staff.leave()
