"""Write what is noted of jobs: their rows, the words by which they are found, and how many there are of each kind."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import apsw

from goatherd.adapters.record_rows import Facet, facet_of, has_other_words, record_in, row_of
from goatherd.adapters.record_words import text_of
from goatherd.adapters.sqlite.queries import rows, run, run_many, value
from goatherd.model.job_order import APART, number_of
from goatherd.model.job_record import JobNote, JobRecord, records_after


class Kept(NamedTuple):
    """A record as it is in the file."""

    record: JobRecord
    place: int
    facet: int


class HistoryWriting:
    """One write, in one transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._facets: dict[Facet, int] = {}
        self._counts: Counter[tuple[int, str]] = Counter()

    def note(self, notes: Iterable[JobNote]) -> None:
        """Bring the records of jobs forward."""
        notes = list(notes)
        known = {job: find(self._connection, job) for job in {note.job for note in notes}}
        records = {job: None if kept is None else kept.record for job, kept in known.items()}
        for record in records_after(notes, records):
            former = known[record.job]
            if former is None:
                self._add(record)
            else:
                self._change(former, record)
        self._write_counts()

    def drop(self, places: Iterable[tuple[int, int, str]]) -> int:
        """Forget jobs, each given by its place, its facet and its status."""
        dropped = list(places)
        gone = [(place,) for place, _, _ in dropped]
        run_many(self._connection, "drop_record", gone)
        run_many(self._connection, "drop_words", gone)
        self._counts.subtract((facet, status) for _, facet, status in dropped)
        self._write_counts()
        # Where every customer has a queue, there are ever new kinds of jobs.
        last = [(facet,) for facet in {facet for _, facet, _ in dropped}]
        run_many(self._connection, "drop_empty_counts", last)
        run_many(self._connection, "drop_empty_facets", last)
        return len(dropped)

    def _add(self, record: JobRecord) -> None:
        place, facet = number_of(record.created), self._facet(facet_of(record))
        row = (facet, record.job, *row_of(record))
        while not run(self._connection, "write_record", (place, *row)):
            place = self._free_place(place)
        self._write_words(place, record)
        self._counts[facet, record.state.status] += 1

    def _change(self, former: Kept, record: JobRecord) -> None:
        place, facet = former.place, former.facet
        if record.created != former.record.created:
            # Its id was used once more, for a job that came later.
            place = self._free_place(number_of(record.created))
            run(self._connection, "move_record", (place, former.place))
        if record.about != former.record.about:
            facet = self._facet(facet_of(record))
        run(self._connection, "rewrite_record", (facet, *row_of(record), place))
        if place != former.place or has_other_words(former.record, record):
            run(self._connection, "drop_words", (former.place,))
            self._write_words(place, record)
        self._counts[former.facet, former.record.state.status] -= 1
        self._counts[facet, record.state.status] += 1

    def _free_place(self, place: int) -> int:
        """Behind all others of the same moment."""
        while (last := value(self._connection, "last_place", (place, place + APART))) is not None:
            place = int(last) + 1
        return place

    def _write_words(self, place: int, record: JobRecord) -> None:
        run(self._connection, "write_words", (place, text_of(record)))

    def _facet(self, facet: Facet) -> int:
        known = self._facets.get(facet)
        if known is None:
            known = value(self._connection, "find_facet", facet) or value(self._connection, "add_facet", facet)
            self._facets[facet] = known
        return known

    def _write_counts(self) -> None:
        changed = [(*which, more) for which, more in self._counts.items() if more]
        run_many(self._connection, "count_jobs", changed)


def find(connection: apsw.Connection, job: str) -> Kept | None:
    """What is known of a job."""
    for place, facet, task, queue, kind, *row in rows(connection, "find_record", (job,)):
        return Kept(record_in(job, row, (task, queue, kind)), place, facet)
    return None
