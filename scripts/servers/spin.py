"""Spin, which tries all interleavings of a model, and the compiler that it needs."""

import shutil

from scripts.servers.install import ensure_installed

_PATH = "/usr/bin:/usr/local/bin:/bin:/opt/homebrew/bin"


def ensure_spin() -> str:
    """The path of Spin on this machine, installed if it was missing; raises NoServer."""
    ensure_installed("gcc", "gcc", _PATH, "GOATHERD_TEST_SPIN")
    ensure_installed("spin", "spin", _PATH, "GOATHERD_TEST_SPIN")
    found = shutil.which("spin", path=_PATH)
    if found is None:
        raise RuntimeError("spin is installed, but its program is not there")
    return found
