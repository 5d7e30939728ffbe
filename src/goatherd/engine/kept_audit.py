"""An audit trail that does not grow for ever: whoever adds to it takes away what is too old."""

import logging
from collections.abc import Sequence

from goatherd.errors import Unavailable
from goatherd.model.audit import AuditEntry, AuditFilter, AuditPlace
from goatherd.ports.audit import AuditTrail
from goatherd.ports.clock import Clock

#: Seconds between two looks for what is too old, and entries that are forgotten at a time.
PRUNE_EVERY, BATCH = 600.0, 500

log = logging.getLogger("goatherd.control")


class KeptAudit:
    """Satisfies `AuditTrail`, on another one; entries are kept for so many seconds."""

    def __init__(self, trail: AuditTrail, clock: Clock, kept_for: float) -> None:
        self._trail = trail
        self._clock = clock
        self._kept_for = kept_for
        self._prune_at = 0.0

    async def note(self, entry: AuditEntry) -> None:
        await self._trail.note(entry)
        now = self._clock.now()
        if now < self._prune_at:
            return
        self._prune_at = now + PRUNE_EVERY
        try:
            if await self._trail.prune(now - self._kept_for, BATCH) == BATCH:
                # There is more; the next entry takes some of it away.
                self._prune_at = now
        except Unavailable as error:
            # The entry is safe, and that is what matters to whoever wrote it.
            log.info("What operators did long ago is forgotten later: %s", error)

    async def find(self, choice: AuditFilter, limit: int, before: AuditPlace | None = None) -> Sequence[AuditEntry]:
        return await self._trail.find(choice, limit, before)

    async def prune(self, before: float, limit: int) -> int:
        return await self._trail.prune(before, limit)

    async def close(self) -> None:
        await self._trail.close()
