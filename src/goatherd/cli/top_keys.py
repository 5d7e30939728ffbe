"""Keys that are pressed while something is shown."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
        typed = os.read(terminal, 100)
        if not typed:
            # The terminal is gone.
            loop.remove_reader(terminal)
            press("q")
        # The arrows and the like are several characters, of which none is meant.
        for key in "" if typed.startswith(b"\x1b") else typed.decode(errors="ignore"):
            press(key)

    # Not raw: Ctrl-C still ends it.
    tty.setcbreak(terminal)
    loop.add_reader(terminal, read)
    try:
        yield
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
