"""What stands beside the words of a job in an index of words, so that it is found by where it belongs, too."""

import hashlib
import re
from functools import lru_cache

from goatherd.model.job_record import JobRecord
from goatherd.model.job_search import JobFilter
from goatherd.model.job_words import ID_END, Sought

#: No word begins with it. It is no ASCII, so that SQLite takes it for part of a word.
_SIGN = "§"
#: Characters of the end of an id that are kept.
_KEPT_END = 12
_NO_WORD = re.compile("[^a-z0-9]")
#: Statuses that come with an error and remain: the words are written then anyway.
BAD_ENDS = ("failed", "cancelled", "expired")


def marks_of(record: JobRecord) -> list[str]:
    """Of a job: the end of its id, what it belongs to, and whether it ended badly."""
    about = record.about
    marks = [_end_of_id(record.job), _mark("t", about.task), _mark("q", about.queue), _mark("w", about.kind)]
    if about.key:
        marks.append(_mark("k", about.key))
    if record.state.status in BAD_ENDS:
        marks.append(_bad_end(record.state.status))
    return marks


def marks_sought(choice: JobFilter) -> list[str]:
    """Those that every job has which is looked for; some others may have them too."""
    asked = (("t", choice.task), ("q", choice.queue), ("w", choice.kind), ("k", choice.key))
    marks = [_mark(kind, wanted) for kind, wanted in asked if wanted is not None]
    if choice.status in BAD_ENDS:
        marks.append(_bad_end(choice.status))
    return marks


def marks_refused(choice: JobFilter) -> list[str]:
    """Those that no job has which is looked for."""
    return [] if choice.status is None or choice.status in BAD_ENDS else [_bad_end(each) for each in BAD_ENDS]


def beginning_of_id_mark(sought: Sought) -> str | None:
    """With which the mark begins of those whose ids may end so; None if no end is looked for."""
    return _end_of_id(sought.id) if len(sought.id) >= ID_END else None


def _end_of_id(text: str) -> str:
    """Backwards, so that more of it is longer, and of what SQLite takes for part of a word."""
    return f"{_SIGN}i{_NO_WORD.sub('·', text[: -_KEPT_END - 1 : -1].lower())}"


@lru_cache(maxsize=4096)
def _mark(kind: str, text: str) -> str:
    return f"{_SIGN}{kind}{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


def _bad_end(status: str) -> str:
    return f"{_SIGN}e{status}"
