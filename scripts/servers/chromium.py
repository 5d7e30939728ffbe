"""Chromium, in which the tests of web pages run: the one of this machine, never one that a library downloads."""

import shutil

from scripts.servers.install import ensure_installed

_PATH = "/usr/bin:/usr/local/bin:/bin:/snap/bin:/opt/homebrew/bin"

#: The names of the program, in Debian and elsewhere.
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def ensure_chromium() -> str:
    """The path of a Chromium on this machine, installed if it was missing; raises NoServer."""
    found = _find()
    if found is None:
        ensure_installed("chromium", "chromium", _PATH, "GOATHERD_TEST_CHROMIUM")
        found = _find()
    if found is None:
        raise RuntimeError("chromium is installed, but its program is not there")
    return found


def _find() -> str | None:
    return next((path for name in _PROGRAMS if (path := shutil.which(name, path=_PATH)) is not None), None)
