"""Small matters of grammar."""

from __future__ import annotations


def counted(number: int, word: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
