"""Every story starts with empty books."""

import pytest

from tests.unit.testing.arcade import diary as diary_of_the_arcade
from tests.unit.testing.forum import written
from tests.unit.testing.shop import diary


@pytest.fixture(autouse=True)
def empty_books() -> None:
    diary.clear()
    diary_of_the_arcade.clear()
    written.clear()
