"""The app of the stories, with something for each page; copied into the folder in which its processes run."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

from goatherd import Context, Goatherd, Retry

app = Goatherd(os.environ["KIOSK_NAME"], report_every=1)


async def at_the_gate(name: str) -> AsyncIterator[str]:
    """Tell the story that somebody is here; what it says, until it lets them go."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(os.environ["KIOSK_GATE"]))
    try:
        writer.write(f"{name}\n".encode())
        async for line in reader:
            yield line.decode().rstrip("\n")
    finally:
        writer.close()


@app.task
async def tell(ctx: Context, title: str) -> str:
    """Tell a tale word by word, as the story says them."""
    await ctx.progress("telling", 50)
    async for word in at_the_gate(title):
        await ctx.token(f"{word} ")
    return f"The end of {title}"


@app.task(queue="till", retry=Retry(0))
async def charge(customer: str, amount: int = 100, password: str = "") -> str:
    """Take money from those whom we know."""
    if not customer.startswith("Ada"):
        raise LookupError(f"no customer is called {customer}")
    return f"{amount} from {customer}, {len(password)} letters"


@app.task(queue="comments", key="post", retry=Retry(0))
async def comment(post: str, text: str) -> None:
    """Write a comment, if the post is not locked."""
    if Path(f"locked-{post}").exists():
        raise PermissionError(f"post {post} is locked")
    with Path(f"post-{post}").open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


@app.task(queue="comments", key="post")
async def like(post: str) -> None:
    """Like a post; it takes as long as the story wants."""
    async for _ in at_the_gate(f"like {post}"):
        """Nothing is said to it."""


@app.task(queue="mail")
async def send_mail(to: str) -> None:
    """A mail to somebody."""


@app.task(queue="shouts", key="words", retry=Retry(0))
async def shout(ctx: Context, words: str) -> str:
    """Have these words wherever a job can have any."""
    await ctx.progress(words, 50)
    await ctx.token(words)
    raise RuntimeError(words)


@app.task(queue="shouts", retry=Retry(0))
async def mutter(ctx: Context, words: str) -> str:
    """The same for a job without a lane: one that failed for good, or, if it says so, one with a result."""
    await ctx.progress(words, 50)
    await ctx.token(words)
    if words.startswith("well"):
        return words
    raise RuntimeError(words)


dinner = app.pipeline("dinner", takes=list[str], gives=str)


@dinner.step(after=dinner.input)
async def shop(dishes: list[str]) -> list[str]:
    """What is to be cooked."""
    return dishes


@dinner.map(over=shop, retry=Retry(0))
async def cook(dish: str) -> str:
    """One dish; it is ready when the story says so, or spoilt by its words."""
    async for words in at_the_gate(dish):
        raise RuntimeError(words)
    return f"{dish}, hot"


@dinner.step(after=dinner.input)
async def lay_the_table(dishes: list[str]) -> int:
    """As many plates as dishes."""
    return len(dishes)


@dinner.step(after=(cook, lay_the_table))
async def eat(dishes: list[str], plates: int) -> str:
    """All of it together."""
    return f"{', '.join(dishes)} on {plates} plates"


@app.cron("0 0 3 1 1 *")
async def stocktaking() -> None:
    """Count what is there, once a year or when somebody says so."""


async def tables() -> list[str]:
    """At which guests sit."""
    return ["window", "corner"]


@app.listeners("table-{}", tables, every=5)
async def serve(table: str, dish: str) -> None:
    """Bring something to a table."""
