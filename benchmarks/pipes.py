"""How a measured process and the frame speak: JSON lines on standard output, words on standard input.

When the frame goes away, standard input closes and the process ends, so that nothing is left behind.
"""

import asyncio
import json
import os
import sys
import threading
from typing import Any

from benchmarks.cpu import family_ns

_ears, _mouth = sys.stdin, sys.stdout


def own_pipes() -> None:
    """Have ears and mouth for the frame alone.

    What a library prints goes where its complaints go, and one that closes standard input in a process that it forks
    does not wait for the thread that listens.
    """
    global _ears, _mouth  # noqa: PLW0603 - as the standard streams are, which they stand for
    _ears = os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8")
    _mouth = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())


def say(answer: dict[str, Any]) -> None:
    """Answer the frame."""
    _mouth.write(json.dumps(answer) + "\n")
    _mouth.flush()


async def told() -> str:
    """Return when the frame says a word; nothing if it is gone."""
    word: str = await asyncio.to_thread(_ears.readline)
    return word.strip()


def told_to_stop() -> threading.Event:
    """Listen from now on: set when the frame says stop or goes away."""
    stop = threading.Event()
    threading.Thread(target=_listen, args=(stop,), name="listen to the frame", daemon=True).start()
    return stop


def _listen(stop: threading.Event) -> None:
    """Tell the processor time whenever asked, until the frame says stop or goes away."""
    for line in _ears:
        if line.strip() == "cpu":
            say({"cpu_ns": family_ns(os.getpid())})
        else:
            break
    stop.set()
