"""A desk on a file, and one on Redis."""

from collections.abc import AsyncIterator

import pytest

from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from scripts.servers.addresses import redis_url
from tests.acceptance.cli.stage import Stage
from tests.acceptance.gateway.desk import Desk


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.servers("redis"))])
def settings(request: pytest.FixtureRequest, stage: Stage) -> Settings:
    url = f"sqlite:///{stage.folder}/shop.db"
    if request.param == "sqlite":
        return Settings(broker_url=url, default_queue="shop", app="shop")
    prefix = f"shop-{new_id()}"
    return Settings(broker_url=url, default_queue="shop", app="shop", events_url=redis_url(), event_prefix=prefix)


@pytest.fixture
async def desk(stage: Stage, settings: Settings) -> AsyncIterator[Desk]:
    async with Desk(stage, settings).opened() as desk:
        yield desk
