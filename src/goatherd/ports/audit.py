"""Where it is noted what operators did."""

from collections.abc import Sequence
from typing import Protocol

from goatherd.model.audit import AuditEntry, AuditFilter, AuditPlace


class AuditTrail(Protocol):
    """Keeps entries and never changes one; every adapter passes `goatherd.testing.suites.AuditTrailSuite`.

    Used from one event loop. Every method has a deadline, raises `Unavailable` and may be repeated.
    """

    async def note(self, entry: AuditEntry) -> None:
        """Write it down; it is safe when this returns. One whose id is on record is left as it is."""

    async def find(self, choice: AuditFilter, limit: int, before: AuditPlace | None = None) -> Sequence[AuditEntry]:
        """The newest first, from behind `before` on."""

    async def prune(self, before: float, limit: int) -> int:
        """Forget entries of before that moment, at most so many and the oldest first; returns how many those were."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
