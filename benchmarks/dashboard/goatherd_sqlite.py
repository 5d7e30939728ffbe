"""The history in an SQLite file."""

from benchmarks.contender import Promise
from benchmarks.dashboard.contender import HistoryStore

CONTENDER = HistoryStore(
    label="history in a file",
    promise=Promise(delivery="at least once", synced=True, note="a sync with each batch of notes"),
    on_postgres=False,
)
