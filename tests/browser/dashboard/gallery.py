"""The shop on the pictures of the documentation: much to do, and a little trouble."""

import asyncio
import os
import random
import socket
from collections.abc import AsyncIterator
from contextlib import suppress

import msgspec

from goatherd import Context, GiveUp, Goatherd, Retry

# No machine of ours is named in a picture.
socket.gethostname = lambda: "shop-1"

app = Goatherd("shop", track_all=True, report_every=1)

STORY = (
    "Goats were among the first animals that people kept, some ten thousand years ago in the mountains of Iran. "
    "A herd knows its herder by voice, and a goat that was taught to open a box will still know how ten months later. "
    "They climb where no sheep would go: up to steep cliffs for salt, and in Morocco into the crowns of argan trees. "
)


@app.lifespan
async def open_the_doors() -> AsyncIterator[None]:
    """Let customers in; in a worker, because processes tell what they have sent."""
    if "SHOP_IS_OPEN" not in os.environ:
        yield
        return
    from tests.browser.dashboard.traffic import customers

    coming = asyncio.create_task(customers(), name="customers")
    yield
    coming.cancel()
    with suppress(asyncio.CancelledError):
        await coming


@app.task(queue="mail")
async def send_mail(to: str, subject: str) -> None:
    """Send a mail."""
    await asyncio.sleep(random.uniform(0.05, 0.2))


@app.task(queue="photos", retry=Retry(1, base=0.2))
async def resize_photo(photo: str, width: int) -> str:
    """Make a photo smaller."""
    await asyncio.sleep(random.uniform(0.2, 0.9))
    if photo.endswith(".heic"):
        raise ValueError(f"cannot identify image file '{photo}'")
    return f"{photo}@{width}"


@app.task(queue="payments", retry=Retry(2, base=0.2))
async def charge_card(order: int, cents: int, token: str) -> str:
    """Take the money for an order."""
    await asyncio.sleep(random.uniform(0.1, 0.4))
    if order % 1000 == 451:
        raise GiveUp(f"the bank declined the card of order {order}")
    if order % 1000 == 504:
        raise TimeoutError(f"the bank did not answer within 30 s about order {order}")
    if random.random() < 0.04:
        raise ConnectionError("the bank closed the connection")
    return f"receipt-{order}"


@app.task(queue="reviews", key="product", retry=Retry(0))
async def publish_review(product: str, stars: int) -> None:
    """Publish a review; those of one product in their order."""
    await asyncio.sleep(0.2)
    if product == "cowbell":
        raise LookupError("product cowbell is not in the catalogue")


@app.task(queue="exports")
async def export_orders(month: str) -> None:
    """Write all orders of a month into a file."""


@app.task(queue="texts")
async def summarise(ctx: Context, url: str, language: str = "en") -> dict[str, int]:
    """Read a page and tell what it says, word by word."""
    await ctx.progress("fetching the page", 10)
    await asyncio.sleep(0.6)
    await ctx.progress("reading", 35)
    await asyncio.sleep(0.9)
    await ctx.progress("writing", 60)
    for word in STORY.split():
        await ctx.token(f"{word} ")
        await asyncio.sleep(0.15)
    return {"words": len(STORY.split())}


class Album(msgspec.Struct):
    """What a photo book is made of."""

    customer: str
    photos: list[str]


photo_book = app.pipeline("photo-book", takes=Album, gives=str)


@photo_book.step(after=photo_book.input)
async def unpack(album: Album) -> list[str]:
    """All photos of the album."""
    await asyncio.sleep(0.4)
    return album.photos


@photo_book.step(after=photo_book.input)
async def calculate(album: Album) -> int:
    """What it costs."""
    return 1900 + 45 * len(album.photos)


@photo_book.map(over=unpack, concurrency=3)
async def enhance(photo: str) -> str:
    """Make one photo nicer."""
    await asyncio.sleep(random.uniform(1.0, 1.4))
    return photo


@photo_book.step(after=unpack)
async def write_captions(photos: list[str]) -> list[str]:
    """A line below each photo."""
    await asyncio.sleep(30)
    return photos


@photo_book.step(after=unpack)
async def draw_cover(photos: list[str]) -> str:
    """The front page."""
    await asyncio.sleep(1.3)
    return photos[0]


@photo_book.step(after=(enhance, write_captions, draw_cover))
async def lay_out(photos: list[str], captions: list[str], cover: str) -> int:
    """Put all of it on pages."""
    return len(photos)


@photo_book.step(after=(lay_out, calculate))
async def order_print(pages: int, cents: int) -> str:
    """Have it printed."""
    return f"{pages} pages, {cents} cents"


@app.every(30)
async def sync_stock() -> None:
    """Count what is in the store."""


@app.cron("0 0 2 * * *", tz="Europe/Zurich")
async def nightly_report() -> None:
    """What was sold."""


async def counters() -> list[str]:
    """The counters of the shop."""
    return ["basel", "bern", "zurich"]


@app.listeners("counter-{}", counters, every=5)
async def hand_over(counter: str, parcel: int) -> None:
    """Give a parcel to whoever asks for it."""
    await asyncio.sleep(0.1)
