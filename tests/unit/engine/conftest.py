from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd, Retry
from tests.unit.engine.lane_desk import Desk
from tests.unit.engine.post_office import Double, PostOffice
from tests.unit.engine.stage import HandClock


@pytest.fixture
def make_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Goatherd]:
    """Make an app on a file of this test; all of them share it."""
    monkeypatch.chdir(tmp_path)

    def make(name: str = "shop", **settings: Any) -> Goatherd:
        return Goatherd(name, **{"broker_url": f"sqlite:///{tmp_path}/jobs.db", "retry": Retry(0), **settings})

    return make


@pytest.fixture
def app(request: pytest.FixtureRequest, make_app: Callable[..., Goatherd]) -> Goatherd:
    """An app whose jobs are tried once; a test may give it settings, as the parameter of this fixture."""
    return make_app(**getattr(request, "param", {}))


@pytest.fixture
def clock(app: Goatherd) -> HandClock:
    """The app's clock, in the test's hand."""
    hand = HandClock()
    app.clock = hand
    return hand


# --- calls ------------------------------------------------------------------------------------


@pytest.fixture
async def office() -> PostOffice:
    """Where calls go, once the app is opened with it."""
    return PostOffice()


@pytest.fixture
def double(app: Goatherd) -> Double:
    """A task to call."""

    @app.task
    async def double(number: int) -> int:
        return 2 * number

    return double


@pytest.fixture
async def office_opened(app: Goatherd, double: Double, clock: HandClock, office: PostOffice) -> AsyncIterator[None]:
    """The app is open, and its calls go through the test's post office."""
    async with app:
        office.take_the_place_of(app)
        yield


# --- lanes ------------------------------------------------------------------------------------


@pytest.fixture
async def desk(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    """A worker that has asked its lanes once."""
    pauses = {
        "insistence.FIRST_PAUSE": 0.01,
        "insistence.LONGEST_PAUSE": 0.02,
        "lane_trade.LONGEST_PAUSE": 0.02,
        "pauses.PAUSES_EVERY": 0.0,
        "lane_trade.LOOK_EVERY": 3600.0,
    }
    for name, seconds in pauses.items():
        monkeypatch.setattr(f"goatherd.engine.{name}", seconds)
    desk = Desk()
    await desk.open()
    await desk.lanes.notes.saw("exchanged")
    yield desk
    desk.lanes.planned["exchange"] = []
    await desk.source.stop()
    await desk.source.close(5.0)
