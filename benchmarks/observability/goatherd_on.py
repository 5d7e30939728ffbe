"""Everything is counted, and every job is traced."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Contender
from benchmarks.observability.recording import record_spans
from benchmarks.sqlite.goatherd import GoatherdContender
from goatherd import Goatherd, Task


@dataclass(frozen=True, kw_only=True)
class On(GoatherdContender):
    """Goatherd on a file, seen by everybody."""

    label: str = "metrics and traces"
    #: Of all traces that are recorded; 0 means that there are none.
    share: float = 1.0

    def app(self, place: Path) -> tuple[Goatherd, Task[[int], None]]:
        if self.share:
            record_spans(self.share)
        return super().app(place)


CONTENDER: Contender = On()
