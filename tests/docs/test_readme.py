"""What the README says works."""

from pathlib import Path

import pytest

from tests.docs.markdown import ROOT
from tests.docs.story import play


@pytest.mark.timeout(120)
def test_every_command_and_every_line_of_code_works(tmp_path: Path) -> None:
    play(ROOT / "README.md", tmp_path, imagine=True)
