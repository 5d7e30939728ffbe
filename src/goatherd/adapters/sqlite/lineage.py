"""Which boot of the machine this is.

Events are not synced to disk one by one, so a power cut may undo the last of them, and their numbers would be given
to others. What was written under an earlier boot is therefore continued under another epoch.
"""

from functools import cache
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")


@cache
def boot_id() -> str:
    """A name for it; empty where the system has none, and then every event is synced."""
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return ""
