"""The little shop whose jobs the demo plays with. Each job leaves a line in a journal, so that scenes can check it."""

import asyncio
import json
import os
import time
from pathlib import Path

from goatherd import Context, Goatherd, Retry

app = Goatherd("goatherd-demo")


@app.task
async def send_mail(ctx: Context, to: str) -> None:
    """Send a mail."""
    note(ctx, to=to)


@app.task(retry=Retry(3, base=0.2, jitter=0))
async def take_payment(ctx: Context, order: int) -> None:
    """Take the money; the bank is away for the first two attempts."""
    note(ctx, order=order)
    if ctx.attempt < 3:
        raise ConnectionError("the bank does not answer")


@app.task(retry=Retry(1, base=0.1, jitter=0))
async def print_label(ctx: Context, parcel: int) -> None:
    """Print a label, if somebody has put paper in."""
    if not (journal_path().parent / "paper").exists():
        raise RuntimeError("the label printer is out of paper")
    note(ctx, parcel=parcel)


@app.task
async def remind(ctx: Context, customer: str) -> None:
    """Remind a customer."""
    note(ctx, customer=customer)


@app.task
async def bake(ctx: Context, cake: int) -> None:
    """Bake a cake, which takes a while."""
    note(ctx, cake=cake, step="in")
    await asyncio.sleep(0.3)
    note(ctx, cake=cake, step="out")


@app.task
async def price(items: int) -> int:
    """What so many cakes cost; of none there is no price."""
    if items < 1:
        raise ValueError("there is no price of nothing")
    return items * 3


@app.task(key="order_id", retry=Retry(0))
async def pack(ctx: Context, order_id: int, step: int) -> None:
    """One step of packing an order; the third needs tape."""
    if step == 3 and order_id == 2 and not (journal_path().parent / "tape").exists():
        raise RuntimeError("the tape has run out")
    note(ctx, packed=order_id, step=step)


wedding_cake = app.pipeline("wedding-cake", takes=int, gives=str)


@wedding_cake.step(after=wedding_cake.input)
async def plan(layers: int) -> list[int]:
    """How wide each layer is."""
    return [10 * (layers - layer) for layer in range(layers)]


@wedding_cake.map(over=plan, concurrency=4)
async def bake_layer(ctx: Context, width: int) -> int:
    """Bake one layer; several are in the oven at once."""
    note(ctx, layer=width)
    await asyncio.sleep(0.1)
    return width


@wedding_cake.step(after=wedding_cake.input)
async def cream(layers: int) -> str:
    """Whip the cream meanwhile."""
    return f"{layers} spoons of cream"


@wedding_cake.step(after=(bake_layer, cream))
async def stack(layers: list[int], cream: str) -> str:
    """Put it together when all of it is there."""
    return f"a cake of {len(layers)} layers with {cream}"


@app.task
async def take_stock(ctx: Context) -> None:
    """Count what is in the store."""
    note(ctx, stock=True)


tips = app.tally("tips")


@tips.flush(every=1)
async def pay_out(ctx: Context, waiter: str, total: int) -> None:
    """Pay a waiter the tips that came together."""
    note(ctx, waiter=waiter, total=total)


async def tables() -> list[str]:
    """The tables at which guests sit now: a file that anybody may change."""
    try:
        return (journal_path().parent / "tables").read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return []


@app.listeners("table-{}", tables, every=0.5)
async def serve(ctx: Context, table: str, dish: str) -> None:
    """Bring a dish to a table."""
    note(ctx, table=table, dish=dish)


@app.task
async def tell_story(ctx: Context, words: int) -> int:
    """Tell a story word by word, to whoever listens."""
    note(ctx, story=words)
    await ctx.progress("tell", 0)
    for word in story(words).splitlines(keepends=True):
        await ctx.token(word)
        await asyncio.sleep(0.02)
    await ctx.progress("tell", 100)
    return words


def story(words: int) -> str:
    """The same story every time, with a word on each line."""
    return "".join(f"goat-{number}\n" for number in range(words))


def journal_path() -> Path:
    """The file that the demo set up for this worker."""
    return Path(os.environ["DEMO_JOURNAL"])


def note(ctx: Context, **facts: object) -> None:
    """Append one line; short appends of several processes do not mix."""
    line = {"job": ctx.job_id, "attempt": ctx.attempt, "at": time.time(), "pid": os.getpid(), **facts}
    with journal_path().open("a", encoding="utf-8") as journal:
        journal.write(json.dumps(line) + "\n")
