"""The history on PostgreSQL."""

from benchmarks.contender import Promise
from benchmarks.dashboard.contender import HistoryStore

CONTENDER = HistoryStore(
    label="history on PostgreSQL",
    promise=Promise(delivery="at least once", synced=True, note="a commit with each batch of notes"),
    on_postgres=True,
)
