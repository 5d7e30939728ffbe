"""Prometheus's own judge of rules and queries; no server is started."""

import shutil

from scripts.servers.install import ensure_installed

_PATH = "/usr/bin:/bin"


def ensure_promtool() -> str:
    """The path of promtool on this machine, installed if it was missing; raises NoServer."""
    ensure_installed("prometheus", "promtool", _PATH, "GOATHERD_TEST_PROMTOOL")
    found = shutil.which("promtool", path=_PATH)
    if found is None:
        raise RuntimeError("prometheus is installed, but promtool is not there")
    return found
