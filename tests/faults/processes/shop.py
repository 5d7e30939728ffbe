"""The app whose worker is killed while it has something to do."""

import asyncio

from goatherd import Goatherd

app = Goatherd("shop")


@app.task
async def linger(seconds: float) -> None:
    await asyncio.sleep(seconds)
