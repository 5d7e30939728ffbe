"""Tell sinks of alerts: the log, the functions of the program, and a webhook."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from goatherd.errors import Unavailable
from goatherd.model.alert import Alert
from goatherd.model.alert_board import News
from goatherd.model.alert_rules import Errand
from goatherd.model.async_function import name_of
from goatherd.ports.alerts import AlertPost

#: Tells one alert; whatever it raises means that it has to be told again.
Tell: TypeAlias = Callable[[Alert], Awaitable[None]]
#: Seconds that a sink has for all that it is told in one go, and then to end.
DEADLINE, LAST_MOMENT = 30.0, 5.0
LOG, WEBHOOK = "log", "webhook"

log = logging.getLogger("goatherd.alerts")


async def write_to_log(alert: Alert) -> None:
    """One line, for whoever reads the log."""
    level = logging.ERROR if alert.resolved_at is None else logging.WARNING
    log.log(level, "%s", alert, extra={"alert": alert.to_dict()})


def make_sinks(functions: Iterable[Tell], webhook: AlertPost | None) -> dict[str, Tell]:
    """All who are told, by a name that is the same in all processes of a program."""
    sinks: dict[str, Tell] = {LOG: write_to_log}
    for function in functions:
        name = name_of(function)
        alike = sum(known == name or known.startswith(f"{name} #") for known in sinks)
        sinks[f"{name} #{alike + 1}" if alike else name] = function
    if webhook is not None:
        sinks[WEBHOOK] = webhook.tell
    return sinks


class Telling:
    """Tells the sinks of one process, each in order and none waiting for another."""

    def __init__(self, sinks: Mapping[str, Tell]) -> None:
        self._sinks = sinks
        #: Why a sink could not be told, by its name; those that were told are not in it.
        self.troubles: dict[str, str] = {}
        #: What tells each of them now; left behind if it does not end even when it is cancelled.
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def tell_all(self, errands: Sequence[Errand]) -> dict[News, set[str]]:
        """Which sinks were told which news, within the deadline."""
        told: dict[News, set[str]] = {}
        # The log is the first of them, so that it has what others are about to be told.
        names = dict.fromkeys(sink for errand in errands for sink in errand.sinks)
        begun = [self._begin(name, errands, told) for name in names if name not in self._tasks]
        try:
            if begun:
                await asyncio.wait(begun, timeout=DEADLINE + LAST_MOMENT)
        finally:
            for task in begun:
                task.cancel()
        for name in names:
            if name in self._tasks:
                self._failed(
                    name, "it does not end, even when it is cancelled, so it is not called again until it does"
                )
        return told

    def _begin(self, name: str, errands: Sequence[Errand], told: dict[News, set[str]]) -> asyncio.Task[None]:
        task = asyncio.create_task(self._tell(name, errands, told), name=f"goatherd tells {name} of alerts")
        self._tasks[name] = task
        task.add_done_callback(lambda _task: self._tasks.pop(name, None))
        return task

    async def _tell(self, name: str, errands: Sequence[Errand], told: dict[News, set[str]]) -> None:
        ours = [errand.notice for errand in errands if name in errand.sinks]
        failures = 0
        try:
            async with asyncio.timeout(DEADLINE):
                for notice in ours:
                    # One that cannot be told does not keep the others back.
                    if await self._was_told(name, notice.alert):
                        told.setdefault(notice.news, set()).add(name)
                    else:
                        failures += 1
        except TimeoutError:
            failures += 1
            self._failed(name, f"it did not end within {DEADLINE:g} s")
        if not failures and self.troubles.pop(name, None) is not None:
            log.info("%s is told of alerts again", name)

    async def _was_told(self, name: str, alert: Alert) -> bool:
        try:
            await self._sinks[name](alert)
        except Unavailable as error:
            self._failed(name, str(error))
        except Exception as error:  # noqa: BLE001 - functions of users may raise anything, and are told again
            self._failed(name, f"{type(error).__name__}: {error}", error)
        else:
            return True
        return False

    def _failed(self, name: str, why: str, error: Exception | None = None) -> None:
        """With its traceback only if it is code of the user's."""
        log.error("%s could not be told of an alert; it is tried again: %s", name, why, exc_info=error)
        self.troubles[name] = why
