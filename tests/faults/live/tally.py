"""What a run has come to."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.faults.live.view import Fault

KINDS = ("wrong", "lost", "repeated", "reordered", "hung")
#: Faults that are told in full.
TOLD = 8


@dataclass
class Tally:
    """Counts, and the first faults in words."""

    jobs: int = 0
    sessions: int = 0
    connections: int = 0
    #: Frames of all kinds that clients got.
    frames: Counter[str] = field(default_factory=Counter)
    refusals: Counter[int] = field(default_factory=Counter)
    #: What was done to the system.
    harm: Counter[str] = field(default_factory=Counter)
    #: Sessions with a fault of each kind.
    bad: Counter[str] = field(default_factory=Counter)
    faulty: int = 0
    told: list[Fault] = field(default_factory=list)
    seconds: float = 0.0
    #: Jobs that have ended, which the history does not know.
    unrecorded: list[str] = field(default_factory=list)

    def note(self, faults: Iterable[Fault]) -> None:
        """One session has ended."""
        found = list(faults)
        self.sessions += 1
        self.faulty += bool(found)
        self.bad.update({fault.kind for fault in found})
        if len(self.told) < TOLD:
            self.told += found[:1]

    @property
    def clean(self) -> bool:
        return not self.faulty and not self.unrecorded and not self.told

    def __str__(self) -> str:
        bad = ", ".join(f"{self.bad[kind]} {kind}" for kind in KINDS)
        harm = ", ".join(f"{count} {what}" for what, count in sorted(self.harm.items()))
        frames = ", ".join(f"{count} {what}" for what, count in self.frames.most_common())
        lines = [
            f"{self.sessions} sessions of {self.jobs} jobs over {self.connections} connections in {self.seconds:.0f} s",
            f"  sessions with a fault: {self.faulty} ({bad})",
            f"  done to them: {harm or 'nothing'}",
            f"  frames: {frames}",
            f"  refusals: {dict(self.refusals)}, jobs missing in the history: {len(self.unrecorded)}",
            *(f"  {fault.kind}: {fault.what}" for fault in self.told),
        ]
        return "\n".join(lines)
