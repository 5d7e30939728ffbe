"""The first ten minutes are true, word for word."""

from pathlib import Path

import pytest

from tests.docs.markdown import DOCS
from tests.docs.story import play


@pytest.mark.timeout(180)
def test_the_tutorial_can_be_followed_word_for_word(tmp_path: Path) -> None:
    play(DOCS / "tutorial" / "first-job.md", tmp_path)
