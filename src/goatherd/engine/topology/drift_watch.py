"""Look now and then whether a broker is still as the definition wants it: a gauge for alerts, and a line in the log."""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import get_args

from goatherd.engine.topology.establish import make_policies, missing_policies
from goatherd.errors import GoatherdError
from goatherd.model.definition import Definition
from goatherd.model.difference import Change, Difference
from goatherd.model.drift_table import drift_table, told_counts
from goatherd.ports.plumbing import Plumbing

#: Seconds that a look has to end when the process does.
LAST_WORDS = 1.0
#: What part of the time between two looks is left to chance, so that many processes do not look in the same moment.
SPREAD = 0.1
#: Rows of the table that the log gets.
MOST_ROWS = 20

log = logging.getLogger("goatherd.topology")


class DriftWatch:
    """Of one process."""

    def __init__(
        self, plumbing: Plumbing, define: Callable[[], Awaitable[Definition]], every: float, *, makes: bool = False
    ) -> None:
        """`define` gives the definition of now, for it may depend on what listeners want.

        With `makes`, policies that are gone are made again: a broker may have come back with nothing, and whoever
        makes its queues again then cannot make these.
        """
        self._plumbing = plumbing
        self._define = define
        self._every = every
        self._makes = makes
        self._task: asyncio.Task[None] | None = None
        #: What differed when it was last seen; None while that is not known.
        self.differences: Sequence[Difference] | None = None
        self._failing = False

    @property
    def counts(self) -> Mapping[str, int]:
        """How many differences there are of each class; nothing while that is not known."""
        if self.differences is None:
            return {}
        found = Counter(each.change for each in self.differences)
        return {change: found[change] for change in get_args(Change)}

    def start(self) -> None:
        """Look from now on."""
        self._task = asyncio.create_task(self._run(), name="goatherd drift watch")

    async def stop(self) -> None:
        """Look no more. Idempotent."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task], timeout=LAST_WORDS)

    async def look(self) -> None:
        """Look once; what cannot be seen is told in the log, and not known any more."""
        try:
            definition = await self._define()
            seen = await self._plumbing.survey(definition.blueprint)
            if self._makes and missing_policies(definition, seen):
                await make_policies(self._plumbing, definition)
                seen = await self._plumbing.survey(definition.blueprint)
        except GoatherdError as error:
            self.differences = None
            if not self._failing:
                log.warning("Whether the broker is as wanted is not known: %s", error)
            self._failing = True
            return
        self._failing = False
        self._note(definition.differences(seen), definition.blueprint.vhost)

    async def _run(self) -> None:
        while True:
            try:
                await self.look()
            except Exception:
                self.differences = None
                log.exception("Whether the broker is as wanted could not be seen; this is a fault of Goatherd")
            await asyncio.sleep(self._every * random.uniform(1 - SPREAD, 1 + SPREAD))

    def _note(self, differences: Sequence[Difference], virtual_host: str) -> None:
        before, self.differences = self.differences, differences
        if [str(each) for each in differences] == [str(each) for each in before or ()]:
            return
        if not differences:
            log.info("The virtual host %r of the broker is as wanted again", virtual_host)
            return
        way = "" if self._makes else " --declare check"
        log.warning(
            "The virtual host %r of the broker is not as wanted (%s); `goatherd topology plan%s` shows more:\n%s",
            virtual_host, told_counts(differences), way, drift_table(differences, MOST_ROWS),
        )  # fmt: skip
