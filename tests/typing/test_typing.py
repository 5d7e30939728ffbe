"""What type checkers say about programs that use Goatherd."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BIN = Path(sys.executable).parent

#: Programs as users write them, and their mistakes.
USAGE = ("usage.py", "usage_arcade.py", "usage_lanes.py", "usage_once.py", "usage_pipelines.py")
WRONG = ("wrong.py", "wrong_arcade.py", "wrong_pipelines.py")
FILES = [(HERE / program).relative_to(ROOT) for program in (*USAGE, *WRONG)]

#: Follow-up complaints about a line that is already rejected for what is wrong with it.
FOLLOW_UPS = {
    "reportUnknownArgumentType",
    "reportUnknownMemberType",
    "reportUnknownVariableType",
    "reportUntypedFunctionDecorator",
    "reportUnusedCoroutine",
    "reportUnusedVariable",
}


#: The lines that a checker rejects in each program, with its reasons.
Rejected: TypeAlias = Mapping[str, frozenset[tuple[int, str]]]

#: All in one process of a parallel run, so that each checker runs once: most of its time goes into Goatherd itself.
pytestmark = [pytest.mark.xdist_group("typing"), pytest.mark.timeout(240)]


@cache
def by_mypy() -> Rejected:
    """What mypy says."""
    # The settings of the project leave wrong.py out; here it is named, so only their strictness is wanted.
    command: list[str | Path] = [BIN / "mypy", "--strict", "--config-file=", "--python-version=3.11"]
    paths = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    run = subprocess.run([*command, *FILES], capture_output=True, text=True, cwd=ROOT, env=paths, check=False)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    found = re.findall(r"^tests/typing/(\w+\.py):(\d+): error: (.*)$", run.stdout, re.MULTILINE)
    assert f"Found {len(found)} error" in run.stdout, f"elsewhere, too:\n{run.stdout}"
    assert f"(checked {len(FILES)} source files)" in run.stdout, run.stdout
    return _by_program((name, int(line), text) for name, line, text in found)


@cache
def by_basedpyright() -> Rejected:
    """What basedpyright says."""
    command: list[str | Path] = [BIN / "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    command += ["--project", HERE / "pyrightconfig.json", *FILES]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    told: dict[str, Any] = json.loads(run.stdout)
    assert told["summary"]["filesAnalyzed"] == len(FILES), run.stdout
    return _by_program(
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1, each["message"])
        for each in told["generalDiagnostics"]
        if each["severity"] == "error" and each.get("rule") not in FOLLOW_UPS
    )


def _by_program(found: Iterable[tuple[str, int, str]]) -> Rejected:
    lines: dict[str, set[tuple[int, str]]] = {program: set() for program in (*USAGE, *WRONG)}
    for name, line, text in found:
        lines[name].add((line, text))
    return {name: frozenset(each) for name, each in lines.items()}


@pytest.mark.parametrize("program", USAGE)
@pytest.mark.parametrize("checker", [by_mypy, by_basedpyright])
def test_programs_as_users_write_them_are_clean(checker: Any, program: str) -> None:
    assert checker()[program] == frozenset()


@pytest.mark.parametrize("program", WRONG)
@pytest.mark.parametrize("checker", [by_mypy, by_basedpyright])
def test_mistakes_are_rejected_at_their_lines_and_nothing_else_is(checker: Any, program: str) -> None:
    lines = (HERE / program).read_text(encoding="utf-8").splitlines()
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("# E")}
    found = checker()[program]
    missed = {number: lines[number - 1].strip() for number in sorted(marked - {line for line, _ in found})}
    unmarked = {line: text for line, text in sorted(found) if line not in marked}
    assert (missed, unmarked) == ({}, {})
