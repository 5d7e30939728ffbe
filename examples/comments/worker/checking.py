"""A comment is checked before it is written. That takes a while, and some comments do not get through."""

import asyncio
import re

#: `fail` never gets through, `fail 2` only the third time; `wait 5` takes five seconds more.
_FAILING = re.compile(r"^fail(?: (\d{1,3}))?$", re.IGNORECASE)
_SLOW = re.compile(r"^wait (\d{1,2})$", re.IGNORECASE)


class CheckFailed(Exception):
    """The comment could not be checked."""


async def check(text: str, tries: int, seconds: float) -> None:
    """Look at a comment for so long; raises CheckFailed."""
    slow = _SLOW.match(text.strip())
    await asyncio.sleep(seconds + (int(slow[1]) if slow else 0))
    if (failing := _FAILING.match(text.strip())) is None:
        return
    times = failing[1]
    if times is None:
        raise CheckFailed("a comment that says “fail” never gets through the check")
    if tries <= int(times):
        raise CheckFailed(f"“{text.strip()}” does not get through the check for the {_th(tries)} time")


def _th(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"
