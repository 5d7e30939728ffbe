"""Run all tests side by side; the few that failed are tried once more, alone, and named.

Tests of real processes share the machine with others, and one that stands still for some seconds can fail a test that
is right. A test that is wrong fails alone, too. What passed only alone is told at the end: it is a fault to be mended,
of the test or of the program, even if this run is green.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

#: Names the file into which the tests write what failed.
FAILED = "GOATHERD_TEST_FAILED"
#: More than so many are no bad luck.
MOST = 4
#: What pytest says when tests have failed, and nothing worse.
TESTS_FAILED = 1

#: The slowest are named, so that somebody sees what takes the time.
SIDE_BY_SIDE = ("-n", "4", "--dist", "loadgroup", "--durations=20")
ALONE = ("-n", "0")

Run = Callable[[Sequence[str]], int]


def bare(name: str) -> str:
    """A test's name without the group that pytest-xdist adds to it."""
    test, at, group = name.rpartition("@")
    return test if at and "]" not in group and "::" not in group else name


def tried(arguments: Sequence[str], run: Run, failed: Callable[[], Sequence[str]]) -> int:
    """The exit code of a run of the tests, and of those that failed once more."""
    code = run([*SIDE_BY_SIDE, *arguments])
    unlucky = list(dict.fromkeys(map(bare, failed()))) if code == TESTS_FAILED else []
    if not 0 < len(unlucky) <= MOST:
        return code
    _say(f"{len(unlucky)} of the tests failed beside others; they are tried once more, alone")
    code = run([*ALONE, *unlucky])
    if code == 0:
        _say("passed only alone, and ask to be made steadier: " + ", ".join(unlucky))
    return code


def main(arguments: Sequence[str]) -> int:
    """Run pytest with these arguments."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "failed"

        def run(options: Sequence[str]) -> int:
            environment = {**os.environ, FAILED: str(told)}
            return subprocess.run([sys.executable, "-m", "pytest", *options], env=environment, check=False).returncode

        return tried(arguments, run, lambda: told.read_text().splitlines() if told.exists() else [])


def _say(text: str) -> None:
    print(f"goatherd: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
