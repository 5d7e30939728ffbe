"""A task that may run longer than the broker waits for its ack is found at the start."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.errors import DefinitionError
from goatherd.model.topology import HoldLimit
from tests.unit.engine.stage import at_work


@pytest.fixture
def hour(app: Goatherd) -> None:
    @app.task(timeout=3600)
    async def an_hour() -> None: ...


def limited(app: Goatherd, limit: HoldLimit | None) -> Callable[..., Any]:
    """Opens the app's ports with a broker that has this limit."""
    opener = app.opener

    async def opened(*args: Any) -> Any:
        ports = await opener(*args)
        broker: Any = ports.broker
        broker.hold_limit = lambda _queue: limit
        return ports

    return opened


async def start(app: Goatherd, limit: HoldLimit | None) -> None:
    app.opener = limited(app, limit)
    async with at_work(app):
        pass


@pytest.mark.usefixtures("hour")
async def test_a_known_limit_refuses(app: Goatherd) -> None:
    with pytest.raises(DefinitionError, match=r"'an_hour' has timeout=3600.*after 3650 s.*timeout below 3590"):
        await start(app, HoldLimit(seconds=3650, known=True))


@pytest.mark.usefixtures("hour")
async def test_a_usual_limit_warns(app: Goatherd, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        await start(app, HoldLimit(seconds=1800, known=False))
    assert "an_hour" in caplog.text
    assert "GOATHERD_CONSUMER_TIMEOUT" in caplog.text


@pytest.mark.usefixtures("hour")
@pytest.mark.parametrize("limit", [None, HoldLimit(seconds=3661, known=True)])
async def test_far_below_or_without_a_limit_nothing_is_said(
    app: Goatherd, caplog: pytest.LogCaptureFixture, limit: HoldLimit | None
) -> None:
    with caplog.at_level(logging.WARNING):
        await start(app, limit)
    assert not caplog.records
