"""A program of an example as a process of its own: started, listened to, and started again when it dies."""

import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

#: Where the checkout is; programs are started there.
TOP = Path(__file__).parents[2]
#: Seconds that a program may take to be ready, and to end in good order.
TO_START, TO_END = 30.0, 30.0
#: Seconds before a program that died is started again: at first, and at the most if it dies again and again.
FIRST_WAIT, LONGEST_WAIT = 0.2, 5.0
#: Lines of each program that are remembered.
REMEMBERED = 20_000

#: Is told each line, with the name of the program that said it.
Tell: TypeAlias = Callable[[str, str], None]


class DidNotStart(Exception):
    """A program ended, or said nothing for too long, before it was ready; the text has its last words."""


class Program:
    """One of them; used from one thread, while another reads what it says."""

    def __init__(self, name: str, arguments: list[str], ready: str, environment: Mapping[str, str], tell: Tell) -> None:
        self.name = name
        self._command = [sys.executable, *arguments]
        self._ready = re.compile(ready)
        self._environment = dict(environment)
        self._tell = tell
        self._heard: deque[str] = deque(maxlen=REMEMBERED)
        self._changed = threading.Condition()
        self._process: subprocess.Popen[str] | None = None
        self._is_ready = self._wanted = False
        self._match: re.Match[str] | None = None
        self._keeper: threading.Thread | None = None
        #: How often it died and was started again.
        self.restarts = 0

    @property
    def match(self) -> re.Match[str]:
        """What it said when it was ready the last time."""
        assert self._match is not None, f"{self.name} has not been ready yet"
        return self._match

    @property
    def lines(self) -> list[str]:
        """What it has said, as far as it is remembered."""
        with self._changed:
            return list(self._heard)

    def start(self) -> None:
        """Start it and return when it is ready; raises DidNotStart."""
        self.launch()
        self.await_ready()

    def launch(self) -> None:
        """Start it."""
        self._wanted, self._is_ready = True, False
        self._spawn()
        self._keeper = threading.Thread(target=self._keep, name=f"keeper of {self.name}", daemon=True)
        self._keeper.start()

    def await_ready(self) -> None:
        """Return when it is ready, also after it died; raises DidNotStart."""
        # One that ends before it was ready for the first time will not do better the next time.
        with self._changed:
            self._changed.wait_for(lambda: self._is_ready or not self._wanted, TO_START)
            if self._is_ready:
                return
        self.stop()
        raise DidNotStart(f"The program {self.name!r} did not start:\n" + "\n".join(self.lines[-20:]))

    def hear(self, pattern: str, seconds: float = 5.0) -> re.Match[str] | None:
        """Wait for a line that matches; None if there is none by then."""
        found: list[re.Match[str]] = []

        def has_come() -> bool:
            found.extend(match for line in self._heard if (match := re.search(pattern, line)))
            return bool(found)

        with self._changed:
            self._changed.wait_for(has_come, seconds)
        return found[-1] if found else None

    def end(self) -> int | None:
        """Wait until it has ended by itself, for good; its exit code, or None if it goes on."""
        if self._keeper is not None:
            self._keeper.join(TO_END)
        return None if self._process is None else self._process.poll()

    def stop(self) -> None:
        """Let it end in good order; nothing happens if it does not run."""
        with self._changed:
            self._wanted = False
            self._changed.notify_all()
        self.tell(signal.SIGCONT)
        self.tell(signal.SIGTERM)
        self._await_end()

    def kill(self) -> None:
        """As if it crashed: it is started again."""
        with self._changed:
            self._is_ready = False
        self.tell(signal.SIGKILL)

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal, if it runs."""
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(number)

    def _await_end(self) -> None:
        if self._keeper is None:
            return
        self._keeper.join(TO_END)
        if self._keeper.is_alive():
            self._tell(self.name, f"does not end within {TO_END:g} s and is killed")
            self.tell(signal.SIGKILL)
            self._keeper.join(TO_END)

    def _spawn(self) -> None:
        # A session of its own: Ctrl-C is for whoever started it, who then ends all of them in order.
        self._process = subprocess.Popen(
            self._command, cwd=TOP, env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip

    def _keep(self) -> None:
        wait = FIRST_WAIT
        while True:
            began = time.monotonic()
            code = self._listen()
            if not self._may_try_again(code):
                return
            wait = FIRST_WAIT if time.monotonic() - began > LONGEST_WAIT else min(2 * wait, LONGEST_WAIT)
            self._tell(self.name, f"ended with {_told(code)}; it is started again in {wait:g} s")
            with self._changed:
                if self._changed.wait_for(lambda: not self._wanted, wait):
                    return
                self.restarts += 1
                self._spawn()

    def _listen(self) -> int:
        """Read what it says until it ends; its exit code."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        with process.stdout as said:
            for line in said:
                self._note(line.rstrip("\n"))
        return process.wait()

    def _note(self, line: str) -> None:
        with self._changed:
            self._heard.append(line)
            if match := self._ready.search(line):
                self._is_ready, self._match = True, match
            self._changed.notify_all()
        self._tell(self.name, line)

    def _may_try_again(self, code: int) -> bool:
        with self._changed:
            was_ready, self._is_ready = self._is_ready or code < 0 or self.restarts > 0, False
            self._wanted = self._wanted and was_ready
            self._changed.notify_all()
            return self._wanted


def _told(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
