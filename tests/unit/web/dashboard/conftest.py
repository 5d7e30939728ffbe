"""The dashboard of an app on a file, and those who come to it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.web.dashboard.app import Dashboard
from tests.unit.web.dashboard.callers import OPERATOR, VIEWER, Caller, dashboard_of


@pytest.fixture
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """The app's settings; a test may give others, as the parameter of this fixture."""
    usual = {
        "broker_url": f"sqlite:///{tmp_path}/jobs.db",
        "dashboard_token": OPERATOR,
        "dashboard_read_token": VIEWER,
    }
    return usual | getattr(request, "param", {})


@pytest.fixture
def app(settings: dict[str, Any]) -> Goatherd:
    made = Goatherd("shop", **settings)

    @made.task(queue="mail")
    async def send_mail(to: str, subject: str = "") -> None: ...

    return made


@pytest.fixture
async def served(app: Goatherd) -> AsyncIterator[Dashboard]:
    served = dashboard_of(app)
    yield served
    await served.close()


@pytest.fixture
def stranger(served: Dashboard) -> Caller:
    """Somebody without any token."""
    return Caller(served)


@pytest.fixture
def operator(served: Dashboard) -> Caller:
    """A program with the token of operators."""
    return Caller(served, headers={"authorization": f"Bearer {OPERATOR}"})


@pytest.fixture
def viewer(served: Dashboard) -> Caller:
    """A program with the token of viewers."""
    return Caller(served, headers={"authorization": f"Bearer {VIEWER}"})


@pytest.fixture
async def browser(served: Dashboard) -> Caller:
    """A browser in which an operator has signed in."""
    return await Caller(served).sign_in(OPERATOR)
