"""Every story starts with an empty diary."""

import pytest

from tests.unit.testing.shop import diary


@pytest.fixture(autouse=True)
def empty_diary() -> None:
    diary.clear()
