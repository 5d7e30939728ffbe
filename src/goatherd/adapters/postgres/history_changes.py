"""What notes change in the tables of the history, as arrays for one statement."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from zlib import crc32

from goatherd.adapters.postgres.texts import kept, key_of
from goatherd.adapters.record_rows import Facet, facet_of, has_other_words, row_of
from goatherd.adapters.record_words import text_of
from goatherd.model.job_order import APART, number_of
from goatherd.model.job_record import JobRecord


class Kept(NamedTuple):
    """A record as it is in the database."""

    record: JobRecord
    number: int
    facet: int


class Changes:
    """Of one step."""

    def __init__(self, known: Mapping[str, Kept | None], facets: Mapping[Facet, int]) -> None:
        self._known = known
        self._facets = facets
        self._rows: list[tuple[Any, ...]] = []
        self._words: list[tuple[Any, ...]] = []
        self._moved: list[tuple[Any, ...]] = []
        self._counts: Counter[tuple[int, str]] = Counter()

    def add(self, record: JobRecord) -> None:
        """A job as it is from now on."""
        former = self._known.get(record.job)
        key, facet = key_of(record.job), self._facets[kept_facet(record)]
        if former is None or record.created != former.record.created:
            # Those of one moment are in some order, and keep it.
            number = number_of(record.created) + crc32(key.encode()) % APART
        else:
            number = former.number
        self._rows.append((key, facet, number, *map(kept, row_of(record))))
        if former is not None and number != former.number:
            self._moved.append((former.number, key))
        if former is None or number != former.number or has_other_words(former.record, record):
            self._words.append((number, key, text_of(record)))
        if former is not None:
            self._counts[former.facet, former.record.state.status] -= 1
        self._counts[facet, record.state.status] += 1

    @property
    def counts(self) -> int:
        """How many counts are left with it."""
        return sum(1 for more in self._counts.values() if more)

    def parameters(self, prefix: str) -> list[Any]:
        """For `WRITE`, with the jobs in an order: of two who write the same, neither waits for the other."""
        counts = [(*which, more) for which, more in self._counts.items() if more]
        return [
            *_columns(sorted(self._moved), 2),
            prefix,
            prefix,
            *_columns(sorted(self._words), 3),
            *_columns(counts, 3),
            prefix,
            *_columns(sorted(self._rows, key=lambda row: str(row[0])), len(self._rows[0])),
        ]


def kept_facet(record: JobRecord) -> Facet:
    """What a job has in common with others, as the database can keep it."""
    task, queue, kind = facet_of(record)
    return Facet(kept(task)[:500], kept(queue)[:500], kind)


def _columns(rows: Iterable[Sequence[Any]], width: int) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]
