"""Identifiers of jobs and dead letters: UUIDs that sort by the time they were made."""

import os
import time

_VERSION_7 = 0x7 << 76
_VARIANT = 0x2 << 62
_RANDOM_A = 0xFFF << 64
_RANDOM_B = (1 << 62) - 1


def new_id() -> str:
    """A fresh UUID of version 7 (RFC 9562)."""
    noise = int.from_bytes(os.urandom(10), "big")
    value = (time.time_ns() // 1_000_000) << 80 | _VERSION_7 | (noise & _RANDOM_A) | _VARIANT | (noise & _RANDOM_B)
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
