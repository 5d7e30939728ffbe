"""The programs of the dubbing example: they cut, hear, translate and speak. Each is had as a server is."""

from pathlib import Path

from scripts.servers.install import ensure_installed, get_installed

_VARIABLE = "GOATHERD_TEST_MEDIA"
_PATH = "/usr/bin:/usr/local/bin:/bin:/opt/homebrew/bin"
#: What to install for each program.
PACKAGES = {"ffmpeg": "ffmpeg", "apertium": "apertium apertium-eng-spa", "espeak-ng": "espeak-ng", "flite": "flite"}
#: The dictionaries of a language pair are a package of their own.
_PAIRS = [Path("/usr/share/apertium/modes/eng-spa.mode"), Path("/usr/local/share/apertium/modes/eng-spa.mode")]


def ensure_media() -> str:
    """The folders in which they are, installed if they were missing; raises NoServer."""
    for program, packages in PACKAGES.items():
        ensure_installed(packages, program, _PATH, _VARIABLE)
    if not any(pair.exists() for pair in _PAIRS):
        get_installed("apertium-eng-spa", _VARIABLE)
    return _PATH
