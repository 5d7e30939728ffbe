"""Text from elsewhere, fit for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text from elsewhere without what could command the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)
