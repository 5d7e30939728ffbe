"""What type checkers say about programs that use Goatherd."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BIN = Path(sys.executable).parent

#: Follow-up complaints about a line that is already rejected for what is wrong with it.
FOLLOW_UPS = {
    "reportUnknownArgumentType",
    "reportUnknownMemberType",
    "reportUnknownVariableType",
    "reportUntypedFunctionDecorator",
    "reportUnusedCoroutine",
    "reportUnusedVariable",
}


@cache
def by_mypy(name: str) -> frozenset[tuple[int, str]]:
    """The lines that mypy rejects in one of our files, with its reasons."""
    # The settings of the project leave wrong.py out; here it is named, so only their strictness is wanted.
    command: list[str | Path] = [BIN / "mypy", "--strict", "--config-file=", "--python-version=3.11", HERE / name]
    paths = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=paths, check=False)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    found = re.findall(rf"^(.*{name}):(\d+): error: (.*)$", run.stdout, re.MULTILINE)
    assert f"{len(found)} error" in run.stdout or not found, run.stdout
    return frozenset((int(line), text) for _, line, text in found)


@cache
def by_basedpyright(name: str) -> frozenset[tuple[int, str]]:
    """The lines that basedpyright rejects in one of our files, with its reasons."""
    command: list[str | Path] = [BIN / "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    command += ["--project", HERE / "pyrightconfig.json", HERE / name]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    told: dict[str, Any] = json.loads(run.stdout)
    assert told["summary"]["filesAnalyzed"] == 1, run.stdout
    return frozenset(
        (each["range"]["start"]["line"] + 1, each["message"])
        for each in told["generalDiagnostics"]
        if each["severity"] == "error" and each.get("rule") not in FOLLOW_UPS
    )


@pytest.mark.parametrize(
    "program",
    ["usage.py", "usage_arcade.py", "usage_lanes.py", "usage_once.py", "usage_pipelines.py"],
)
@pytest.mark.parametrize("checker", [by_mypy, by_basedpyright])
def test_programs_as_users_write_them_are_clean(checker: Any, program: str) -> None:
    assert checker(program) == frozenset()


@pytest.mark.parametrize("program", ["wrong.py", "wrong_arcade.py", "wrong_pipelines.py"])
@pytest.mark.parametrize("checker", [by_mypy, by_basedpyright])
def test_mistakes_are_rejected_at_their_lines_and_nothing_else_is(checker: Any, program: str) -> None:
    lines = (HERE / program).read_text(encoding="utf-8").splitlines()
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("# E")}
    found = checker(program)
    missed = {number: lines[number - 1].strip() for number in sorted(marked - {line for line, _ in found})}
    unmarked = {line: text for line, text in sorted(found) if line not in marked}
    assert (missed, unmarked) == ({}, {})
