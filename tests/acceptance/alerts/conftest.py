"""A pager for each story."""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.alerts.pager import Pager, paging


@pytest.fixture
async def pager() -> AsyncIterator[Pager]:
    async with paging() as switched_on:
        yield switched_on
