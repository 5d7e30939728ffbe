"""How far `goatherd topology apply` is, step by step, on standard error."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.text import Text

from goatherd.cli.output import console
from goatherd.cli.redaction import printable
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from rich.status import Status

    from goatherd.engine.topology.progress import Progress

#: Seconds between two counts of moved messages where nobody watches a terminal.
SELDOM = 5.0
#: What takes several steps, which stand below its name.
_LONG = ("replace queue", "replace exchange")


class StepByStep:
    """Writes a line for each step: on a terminal when it is done, with the one that is being done below; in a file
    when it begins, or where messages are moved when that ends, and now and then before.
    """

    def __init__(self) -> None:
        self._console = console(stderr=True)
        self._status: Status | None = None
        #: What is being done.
        self._now: Progress | None = None
        #: Messages that were moved in earlier goes of the same step.
        self._before = 0
        self._counted_at = time.monotonic()
        #: Whose name stands above the steps that follow.
        self._named: tuple[str, str] | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._status = self._console.status("Looking…")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # The last step is told also if it failed: that is where it stopped.
        self._end_step()
        if self._status is not None:
            self._status.stop()

    @property
    def began(self) -> bool:
        """Whether anything was done at all."""
        return self._now is not None or self._named is not None

    def tell(self, progress: Progress) -> None:
        """The next step, or how far the same one is."""
        last = self._now
        if last is None or _which(last) != _which(progress):
            self._end_step()
        elif (last.moved or 0) > (progress.moved or 0):
            self._before += last.moved or 0
        self._now = progress
        if self._status is not None:
            self._status.update(Text(f"{printable(progress.name)}: {self._told(progress)}"))
        elif progress.moved is None:
            self._line(progress, self._told(progress))
        elif time.monotonic() - self._counted_at > SELDOM:
            self._counted_at = time.monotonic()
            self._line(progress, f"{self._told(progress)} so far")

    def _end_step(self) -> None:
        done, self._now = self._now, None
        if done is not None and (done.moved is not None or self._status is not None):
            self._line(done, self._told(done))
        self._before = 0

    def _told(self, progress: Progress) -> str:
        if progress.moved is None:
            return printable(progress.step)
        return f"{printable(progress.step)}: {counted(self._before + progress.moved, 'message')}"

    def _line(self, progress: Progress, told: str) -> None:
        title = Text.assemble((progress.change, "bold"), f" {printable(progress.name)}")
        which = (progress.change, progress.name)
        if progress.change not in _LONG:
            self._console.print(title.append(f": {told}", "dim"))
        elif which != self._named:
            self._console.print(title)
        self._named = which
        if progress.change in _LONG:
            self._console.print(Text(f"  {told}", "dim"))


def _which(progress: Progress) -> tuple[str, str, str]:
    return progress.change, progress.name, progress.step
