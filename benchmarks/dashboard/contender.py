"""A store of the history that is measured."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Promise
from benchmarks.lanes.places import postgres_of
from goatherd.model.settings import Settings

#: Seconds that one answer may take here, so that a slow one is measured and not given up.
PATIENCE = 120.0


@dataclass(frozen=True, kw_only=True)
class HistoryStore:
    """Goatherd's history in one kind of store."""

    label: str
    promise: Promise
    on_postgres: bool
    package: str = "goatherd"

    def settings(self, place: Path) -> Settings:
        """An app whose history is there."""
        file = f"sqlite:///{place / 'history.db'}"
        records = postgres_of(place) if self.on_postgres else file
        return Settings(
            broker_url=file, records_url=records, default_queue="q", app="bench", publish_deadline=PATIENCE
        )  # fmt: skip
