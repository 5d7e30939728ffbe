"""What tests of the desk share."""

from collections.abc import AsyncIterator

import pytest

from goatherd.testing import Herd, testing
from tests.unit.desk.shop import Shop, make_shop


@pytest.fixture
def shop() -> Shop:
    return make_shop()


@pytest.fixture
async def herd(shop: Shop) -> AsyncIterator[Herd]:
    """The shop, open, with a clock that stands still."""
    async with testing(shop.app) as herd:
        yield herd
