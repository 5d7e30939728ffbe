"""An app that has something of each kind, and works."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from goatherd import Goatherd
from tests.unit.desk.shop import Shop, make_shop


@pytest.fixture
def shop(settings: dict[str, Any]) -> Shop:
    return make_shop(**settings)


@pytest.fixture
def app(shop: Shop) -> Goatherd:
    return shop.app


@pytest.fixture
async def at_work(shop: Shop) -> AsyncIterator[Shop]:
    """The shop with a worker and a router."""
    async with shop.app.serve("worker", "router"):
        yield shop
