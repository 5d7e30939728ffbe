"""Tell sinks of alerts: the log, the functions of the program, and a webhook."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from goatherd.errors import Unavailable
from goatherd.model.alert import Alert
from goatherd.model.alert_board import News
from goatherd.model.alert_rules import Errand
from goatherd.ports.alerts import AlertPost

#: Tells one alert; whatever it raises means that it has to be told again.
Tell: TypeAlias = Callable[[Alert], Awaitable[None]]
#: Seconds that a sink has for all that it is told in one go.
DEADLINE = 30.0
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
        name = f"{function.__module__}.{getattr(function, '__qualname__', repr(function))}"
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

    async def tell_all(self, errands: Sequence[Errand]) -> dict[News, set[str]]:
        """Which sinks were told which news, within the deadline."""
        told: dict[News, set[str]] = {}
        # The log is the first of them, so that it has what others are about to be told.
        names = dict.fromkeys(sink for errand in errands for sink in errand.sinks)
        await asyncio.gather(*(self._tell(name, errands, told) for name in names))
        return told

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
