"""The recipes work."""

from pathlib import Path

import pytest

from tests.docs.markdown import apart, pages
from tests.docs.story import play


@pytest.mark.timeout(240)
@pytest.mark.parametrize("page", [apart(page) for page in pages("howto")])
def test_a_recipe_works(page: Path, tmp_path: Path) -> None:
    play(page, tmp_path)
