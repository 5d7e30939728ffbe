"""systemd's own judge of unit files; no service is started, and systemd need not run."""

import shutil

from scripts.servers.install import ensure_installed

_PATH = "/usr/bin:/bin"


def ensure_systemd() -> str:
    """The path of systemd-analyze on this machine, installed if it was missing; raises NoServer."""
    ensure_installed("systemd", "systemd-analyze", _PATH, "GOATHERD_TEST_SYSTEMD_ANALYZE")
    found = shutil.which("systemd-analyze", path=_PATH)
    if found is None:
        raise RuntimeError("systemd is installed, but systemd-analyze is not there")
    return found
