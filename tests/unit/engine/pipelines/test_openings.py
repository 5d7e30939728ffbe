"""An app whose records are away cannot be opened, and leaves nothing behind."""

import asyncio
from collections.abc import Callable

import pytest

from goatherd import Goatherd
from goatherd.errors import Unavailable
from goatherd.testing.suites.store import alive


async def test_nothing_is_left_of_an_app_that_could_not_be_opened(make_app: Callable[..., Goatherd]) -> None:
    app = make_app(records_url="postgresql://nobody@127.0.0.1:1/none")
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input)
    async def pay(number: int) -> int:
        return number

    before = alive()
    with pytest.raises(Unavailable):
        async with asyncio.timeout(60), app:
            pass
    await asyncio.sleep(0)
    assert alive() - before == set()
