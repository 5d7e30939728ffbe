"""The first ten minutes are true, word for word, and so are the next."""

from pathlib import Path

import pytest

from tests.docs.markdown import apart, pages
from tests.docs.story import play


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", [apart(page) for page in pages("tutorial")])
def test_a_tutorial_can_be_followed_word_for_word(page: Path, tmp_path: Path) -> None:
    play(page, tmp_path)
