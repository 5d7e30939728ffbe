"""Stop, and then hurry: what signals and the parent process want from a running worker."""

from __future__ import annotations

import asyncio
import logging
import signal
from typing import TYPE_CHECKING

from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.engine.worker import Worker

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

log = logging.getLogger("goatherd.worker")


class Orders:
    """Made in the task that runs the roles; `begun` is set once they run, and `worker` if one of them takes jobs."""

    def __init__(self, grace_period: float) -> None:
        self._grace_period = grace_period
        self._running_task = asyncio.current_task()
        self._stop = asyncio.Event()
        self._signals_hurry = False
        self.worker: Worker | None = None
        self.begun = False

    @property
    def given(self) -> bool:
        """Whether the worker was told to stop."""
        return self._stop.is_set()

    async def to_stop(self) -> None:
        """Return when the worker should stop."""
        await self._stop.wait()

    def obey_signals(self) -> None:
        """A first signal stops, a second hurries."""
        self._signals_hurry = True
        for number in heeded_signals():
            asyncio.get_running_loop().add_signal_handler(number, self._signalled, number)

    def obey_parent(self) -> None:
        """Signals only stop, however many come: service managers signal us and the parent, who passes it on to us."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self.stop, number.name)

    def stop(self, why: str) -> None:
        """Stop in good order; more than once is the same as once."""
        if self._stop.is_set():
            return
        self._stop.set()
        if not self.begun:
            log.info("Stopping (%s) before any job was taken", why)
            assert self._running_task is not None, "orders are made in the task that runs the roles"
            self._running_task.cancel()
        elif self.worker is None:
            log.info("Stopping (%s)", why)
        else:
            log.info("Stopping (%s): no more jobs are taken%s", why, self._about_running(self.worker.running))

    def hurry(self, why: str) -> None:
        """Cut the grace period short."""
        self.stop(why)
        if self.worker is not None:
            running = counted(self.worker.running, "running job")
            log.warning("Hurrying (%s): %s stopped and handed back", why, running)
            self.worker.hurry()

    def _about_running(self, running: int) -> str:
        if not running:
            return ""
        again = ". A second signal hands them back at once" if self._signals_hurry else ""
        return f"; {counted(running, 'running job')} may take up to {self._grace_period:g} s to end{again}"

    def _signalled(self, number: signal.Signals) -> None:
        if self._stop.is_set():
            self.hurry(f"{number.name} again")
        else:
            self.stop(number.name)


def heeded_signals() -> list[signal.Signals]:
    """The signals that stop us, but for those that whoever started us wants ignored (`nohup`, `&` in scripts)."""
    return [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
