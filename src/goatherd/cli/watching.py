"""Notice that a Python file of the project has changed, by looking at the times of all of them."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

#: Seconds between two looks, and how much longer than a look it must be at least, for very large folders.
LOOK_EVERY, REST_FACTOR = 0.4, 10
#: Seconds for which nothing more may change before a change counts: editors and checkouts write many files.
SETTLED_AFTER = 0.15

_NOT_OURS = {"__pycache__", "node_modules", "site-packages"}

Times = dict[str, int]


class Watcher:
    """Watches the folders of a target from the moment it is made."""

    def __init__(self, folders: list[Path]) -> None:
        self.folders = folders
        self._seen = _look(folders)

    @property
    def files(self) -> int:
        """How many files are watched."""
        return len(self._seen)

    async def changed(self) -> list[str]:
        """Return when files have changed and come to rest: those that were written, made or removed."""
        pause = LOOK_EVERY
        while True:
            await asyncio.sleep(pause)
            started = time.monotonic()
            now = await asyncio.to_thread(_look, self.folders)
            pause = max(LOOK_EVERY, REST_FACTOR * (time.monotonic() - started))
            if now != self._seen and (changed := await self._settled(now)):
                return changed

    async def _settled(self, now: Times) -> list[str]:
        before: Times = {}
        while before != now:
            before = now
            await asyncio.sleep(SETTLED_AFTER)
            now = await asyncio.to_thread(_look, self.folders)
        before, self._seen = self._seen, now
        return _differences(before, now)


def _differences(before: Times, now: Times) -> list[str]:
    changed = [path for path in {*before, *now} if before.get(path) != now.get(path)]
    return sorted(os.path.relpath(path) for path in changed)


def folders_of(target: str) -> list[Path]:
    """This folder, and the one of the target's top package where that is elsewhere and not installed."""
    here = Path.cwd()
    if str(here) not in sys.path:
        sys.path.insert(0, str(here))
    try:
        spec = importlib.util.find_spec(target.partition(":")[0].partition(".")[0])
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        return [here]
    home = Path(spec.origin).resolve().parent
    if home.is_relative_to(here) or _NOT_OURS & set(home.parts):
        return [here]
    return [here, home]


def _look(folders: list[Path]) -> Times:
    return {path: changed for folder in folders for path, changed in _python_files(str(folder))}


def _python_files(folder: str) -> Iterator[tuple[str, int]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return  # removed, or not for us to read: nothing in it can be part of the program
    if any(entry.name == "pyvenv.cfg" for entry in entries):
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _NOT_OURS:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _python_files(entry.path)
        elif entry.name.endswith(".py"):
            try:
                yield entry.path, entry.stat().st_mtime_ns
            except OSError:
                continue  # removed between the two looks
