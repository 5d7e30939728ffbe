"""The order of jobs in the history, and which of them are looked for: what every store must agree with."""

from goatherd.model.job_record import JobRecord
from goatherd.model.job_search import JobFilter
from goatherd.model.job_words import sought, words_of

#: Jobs of one microsecond that a store can tell apart by their numbers.
APART = 1024
#: After all jobs.
LAST_NUMBER = (1 << 63) - 1
#: Seconds since the epoch that cannot be numbered any more.
_END_OF_TIME = 8e9


def number_of(at: float) -> int:
    """The first number of a moment: numbers grow with time, and stores can keep them."""
    # What is no number, or beyond all time, is a stranger's nonsense.
    micros = round(at * 1_000_000) if 0 < at < _END_OF_TIME else 0
    return micros * APART


def numbers_of(choice: JobFilter) -> tuple[int, int]:
    """The number from which on, and the number before which jobs are looked for."""
    return _edge(choice.since, 0), _edge(choice.until, LAST_NUMBER)


def _edge(moment: float | None, otherwise: int) -> int:
    """Where a span of time begins or ends; a moment beyond all time is after all jobs."""
    if moment is None:
        return otherwise
    return LAST_NUMBER if moment >= _END_OF_TIME else number_of(moment)


def is_sought(record: JobRecord, choice: JobFilter) -> bool:
    """Whether a job is looked for."""
    about = record.about
    asked = (
        (choice.task, about.task),
        (choice.queue, about.queue),
        (choice.status, record.state.status),
        (choice.key, about.key),
        (choice.kind, about.kind),
    )
    if any(wanted is not None and wanted != told for wanted, told in asked):
        return False
    first, last = numbers_of(choice)
    if not first <= number_of(record.created) < last:
        return False
    return sought(choice.text).matches(record.job, words_of(record))
