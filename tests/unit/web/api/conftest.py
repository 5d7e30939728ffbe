"""The API of an app that has something of each kind, and those who ask it."""

from collections.abc import AsyncIterator

import pytest

from goatherd.testing import Herd, testing
from goatherd.web.dashboard.app import Dashboard
from tests.unit.desk.shop import Shop, make_shop
from tests.unit.web.api.programs import Program
from tests.unit.web.dashboard.callers import OPERATOR, VIEWER, Caller, dashboard_of


@pytest.fixture
def shop() -> Shop:
    return make_shop(dashboard_token=OPERATOR, dashboard_read_token=VIEWER)


@pytest.fixture
async def herd(shop: Shop) -> AsyncIterator[Herd]:
    """The shop, open, with a clock that stands still."""
    async with testing(shop.app) as herd:
        yield herd


@pytest.fixture
async def served(shop: Shop, herd: Herd) -> AsyncIterator[Dashboard]:
    served = dashboard_of(shop.app)
    yield served
    await served.close()


@pytest.fixture
def program(served: Dashboard) -> Program:
    """With the token of operators."""
    return Program(served, OPERATOR)


@pytest.fixture
def viewer(served: Dashboard) -> Program:
    """With the token of viewers."""
    return Program(served, VIEWER)


@pytest.fixture
async def browser(served: Dashboard) -> Caller:
    """A browser in which an operator has signed in."""
    return await Caller(served).sign_in(OPERATOR)
