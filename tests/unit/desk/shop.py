"""An app with something of each kind, for what operators ask of it."""

from dataclasses import dataclass
from typing import Any

from goatherd import Context, Goatherd, Retry


@dataclass
class Shop:
    """The app and its tasks."""

    app: Goatherd
    mail: Any
    refuse: Any
    comment: Any
    tell: Any
    bake: Any
    archive: Any
    join: Any
    #: What `comment` and the pipeline's second step do: whatever the test wants.
    broken: set[str]
    #: Arguments with which `refuse` did not fail.
    served: list[tuple[int, str]]


def make_shop(**settings: Any) -> Shop:  # noqa: C901 - one of each kind
    """A new one; `refuse` fails unless it is among the broken, all others while they are."""
    app = Goatherd("shop", retry=Retry(0), **settings)
    broken: set[str] = set()
    served: list[tuple[int, str]] = []

    @app.task(queue="mail")
    async def mail(to: str, password: str = "") -> None:
        """Send a letter.

        With a stamp.
        """

    @app.task(queue="mail")
    async def refuse(customer: int, password: str = "") -> None:
        if "refuse" not in broken:
            raise LookupError(f"no customer {customer}")
        served.append((customer, password))

    @app.task(queue="comments", key="post")
    async def comment(post: int, text: str = "") -> None:
        if "comment" in broken:
            raise ValueError(f"no post {post}")

    @app.task
    async def tell(ctx: Context, words: int) -> str:
        await ctx.progress("writing", 50)
        for number in range(words):
            await ctx.token(f"word{number} ")
        return "told"

    bake = app.pipeline("bake", takes=str, gives=str)

    @bake.step(after=bake.input)
    async def mix(what: str) -> list[str]:
        return [what, what]

    @bake.map(over=mix)
    async def ice(what: str) -> str:
        if "ice" in broken:
            raise ValueError("no sugar")
        return f"iced {what}"

    @bake.step(after=ice)
    async def box(cakes: list[str]) -> str:
        return " and ".join(cakes)

    @app.every(3600)
    async def archive() -> None:
        if "archive" in broken:
            raise OSError("disk full")

    @app.listeners("table-{}", (1, 2))
    async def join(table: int, guest: str) -> None: ...

    return Shop(
        app=app, mail=mail, refuse=refuse, comment=comment, tell=tell, bake=bake, archive=archive, join=join,
        broken=broken, served=served,
    )  # fmt: skip
