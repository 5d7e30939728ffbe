"""Ask the I/O thread, and wait: no longer than the verb may take, whatever the thread does."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from goatherd.sync.errand import Errand
from goatherd.sync.io_thread import IOThread
from goatherd.sync.process import PROCESS

_R = TypeVar("_R")

#: Seconds beyond a verb's own deadline: the loop answers at the deadline itself, and the answer needs a moment.
MARGIN = 0.5


def ask(errand: Errand[_R], seconds: float, unanswered: Callable[[str], Exception]) -> _R:
    """Have an errand done and return what it gives; `unanswered` makes the error for one that took too long."""
    refuse_on_a_loop(errand.name)
    thread = PROCESS.io_thread()
    thread.submit(errand)
    try:
        answered = errand.wait(seconds + MARGIN)
    except BaseException:
        # Ctrl-C, most likely: what nobody waits for is not done.
        thread.withdraw(errand)
        raise
    if not answered:
        thread.withdraw(errand)
        # It may have been answered in the last moment.
        if not errand.wait(0):
            raise unanswered(_why(errand, thread, seconds))
    return errand.outcome()


def refuse_on_a_loop(verb: str) -> None:
    """Raise RuntimeError on the thread of a running event loop, the I/O thread's own included."""
    # Not get_running_loop(), which costs an exception for each verb.
    if asyncio._get_running_loop() is not None:
        raise RuntimeError(
            f"A blocking verb would stop the event loop of this thread and everything on it; "
            f"use `await {verb}(...)` here."
        )


def _why(errand: Errand[_R], thread: IOThread, seconds: float) -> str:
    if thread.is_silent:
        why = (
            f"the I/O thread has not answered for {thread.silence:.0f} s, because something blocks its event loop. It "
            f"is at {thread.whereabouts()}. Code that blocks belongs into a plain `def` task"
        )
    elif not errand.started and errand.app is not None:
        why = f"the app {errand.app.name!r} is still being opened"
    else:
        why = "there was no answer"
    return f"{errand.name} was given up after {seconds:g} s: {why}."
