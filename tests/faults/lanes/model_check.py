"""Lets Spin try every interleaving of the lease protocol."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

MODEL = Path(__file__).parent / "lease.pml"
#: Seconds for a step of it; all interleavings take less than a minute on an idle machine.
PATIENCE = 1800.0
#: Steps of one after the other that it may follow; the longest path has about a hundred.
DEPTH = 10_000


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What Spin said."""

    errors: int
    states: int
    #: The assertion that failed, as it is in the model after its macros.
    violated: str
    unreached: int


def check(spin: str, folder: Path, *left_out: str) -> Finding:
    """Every interleaving of the model, with these rules left out of it."""
    _run(folder, spin, *(f"-D{rule}" for rule in left_out), "-a", str(MODEL))
    _run(folder, "gcc", "-w", "-O2", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c")
    told = _run(folder, "./pan", f"-m{DEPTH}")
    assert "max search depth too small" not in told, told
    violated = re.search(r"assertion violated (.*) \(at depth", told)
    return Finding(
        errors=int(_found(r"errors: (\d+)", told)),
        states=int(_found(r"(\d+) states, stored", told)),
        violated=violated[1] if violated else "",
        unreached=sum(int(number) for number in re.findall(r"\((\d+) of \d+ states\)", told)),
    )


def _found(pattern: str, told: str) -> str:
    found = re.search(pattern, told)
    assert found is not None, told
    return found[1]


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout
