"""An app that uses every store, for the roles to run."""

from goatherd import Goatherd

app = Goatherd("shop")
likes = app.tally("likes")


@app.task(key="number")
async def in_order(number: int) -> None: ...


@likes.flush(every=60)
async def count_likes(key: str, total: int) -> None: ...


@app.cron("0 0 4 * * *")
async def clean_up() -> None: ...
