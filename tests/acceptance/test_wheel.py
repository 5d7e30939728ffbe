"""What users install works without the repository: the wheel, in an empty environment, plays the whole demo."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts.scratch import with_bytecode

ROOT = Path(__file__).parents[2]
#: Seconds for the installation, and for the demo, on a busy machine.
PATIENCE = 300


def said(command: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> str:
    """What a command says that ends well."""
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.timeout(2 * PATIENCE)
def test_the_wheel_plays_the_demo_in_an_empty_environment(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONPATH", "GOATHERD_"))}
    environment = with_bytecode(kept, tmp_path / "bytecode")
    python = Path(said(["sh", ROOT / "scripts" / "wheel.sh", tmp_path / "made"], tmp_path, environment).strip())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    where = said([python, "-c", "import goatherd; print(goatherd.__file__)"], elsewhere, environment)
    assert Path(where.strip()).is_relative_to(tmp_path / "made" / "venv")
    told = said([python.with_name("goatherd"), "demo", "--once"], elsewhere, environment)
    assert "promises, all kept" in told
    assert "all of it is on the dashboard" in told
    assert list(elsewhere.iterdir()) == []
