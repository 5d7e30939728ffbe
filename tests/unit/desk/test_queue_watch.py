from collections.abc import Mapping
from dataclasses import replace

import pytest

from goatherd.desk import queue_watch
from goatherd.desk.queue_watch import QueueWatch
from goatherd.errors import Unavailable
from goatherd.model.flow import Flow
from goatherd.model.head_age import Inflow
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


class Counter:
    """A broker that counts, or not."""

    def __init__(self) -> None:
        self.asked = 0
        self.broken = False

    async def flows(self) -> Mapping[str, Flow]:
        self.asked += 1
        if self.broken:
            raise Unavailable("no management")
        return {"mail": Flow(arriving=2.0, leaving=1.0)}

    async def inflows(self) -> Mapping[str, Inflow]:
        raise AssertionError("the desk asks for more than this")


@pytest.fixture
async def counter(shop: Shop, herd: Herd, monkeypatch: pytest.MonkeyPatch) -> Counter:
    counter, session = Counter(), shop.app.session()
    monkeypatch.setattr(session, "ports", replace(session.ports, inflow=counter))
    monkeypatch.setattr(queue_watch, "COUNTS_FRESH_FOR", 0.0)
    return counter


async def test_what_the_broker_counts_is_told(shop: Shop, herd: Herd, counter: Counter) -> None:
    assert (await QueueWatch(shop.app).flow())["mail"].arriving == 2.0


async def test_one_that_does_not_tell_is_not_asked_again_and_again(
    shop: Shop, herd: Herd, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each question may take a second, and pages ask every two."""
    counter.broken = True
    watch = QueueWatch(shop.app)
    for _ in range(5):
        assert await watch.flow() == {}
    assert counter.asked == 1
    monkeypatch.setattr(queue_watch, "SILENT_FOR", 0.0)
    other = QueueWatch(shop.app)
    assert await other.flow() == {}
    counter.broken = False
    assert "mail" in await other.flow()
