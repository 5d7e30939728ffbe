"""One thing that `goatherd doctor` has looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["well", "warning", "wrong"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """What was found, and how to mend it."""

    name: str
    state: State
    found: str
    mend: str = ""


def well(name: str, found: str) -> Check:
    """It is as it should be."""
    return Check(name=name, state="well", found=found)


def warning(name: str, found: str, mend: str) -> Check:
    """It works, but somebody should look."""
    return Check(name=name, state="warning", found=found, mend=mend)


def wrong(name: str, found: str, mend: str = "") -> Check:
    """It does not work."""
    return Check(name=name, state="wrong", found=found, mend=mend)
