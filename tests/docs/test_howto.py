"""The recipes work."""

from pathlib import Path

import pytest

from tests.docs.markdown import name_of, pages
from tests.docs.story import play


@pytest.mark.timeout(120)
@pytest.mark.parametrize("page", pages("howto"), ids=name_of)
def test_a_recipe_works(page: Path, tmp_path: Path) -> None:
    play(page, tmp_path)
