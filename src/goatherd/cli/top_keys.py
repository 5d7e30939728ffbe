"""Keys that are pressed while something is shown."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: The arrows and the like are several characters, of which none is meant.
_ARROWS = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])?")


@contextmanager
def keys_pressed(press: Callable[[str], None]) -> Iterator[None]:
    """Tell each key at once until the block ends; nothing where standard input is no terminal."""
    if not sys.stdin.isatty():
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            typed = os.read(terminal, 100)
        except OSError:
            # Linux says so when the terminal is gone.
            typed = b""
        if not typed:
            loop.remove_reader(terminal)
            press("q")
        for key in _ARROWS.sub(b"", typed).decode(errors="ignore"):
            press(key)

    # Not raw: Ctrl-C still ends it.
    tty.setcbreak(terminal)
    loop.add_reader(terminal, read)
    try:
        yield
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


@contextmanager
def ended_by_signal(end: Callable[[], None]) -> Iterator[None]:
    """Have SIGTERM end it in good order, too: whoever is just killed leaves a terminal that nobody can use."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, end)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
