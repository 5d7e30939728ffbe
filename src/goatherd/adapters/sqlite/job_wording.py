"""Find jobs by their words: first among the newest, one by one, then in the index."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from goatherd.adapters.sqlite.queries import rows
from goatherd.adapters.word_sample import NEWEST, rare_words
from goatherd.model.job_marks import marks_refused, marks_sought
from goatherd.model.job_words import SHORTEST_BEGINNING, has_word, words_from

if TYPE_CHECKING:
    from goatherd.adapters.sqlite.job_finding import Finding

#: Jobs that the index tells for some words, in which the others are looked for, before it is asked for all words.
_LOOKED_AT = 3000


def find_by_words(finding: "Finding", limit: int) -> list[int]:
    """The places of those that have all words, the newest first."""
    words = finding.text.all_words
    if not words:
        return []
    newest = finding.regardless_of_text(NEWEST)
    met: Counter[str] = Counter()
    found: list[int] = []
    for place, those in _words_of(finding, newest):
        had = [word for word in words if has_word(those, word)]
        met.update(had)
        if len(had) == len(words):
            found.append(place)
    if len(found) >= limit or len(newest) < NEWEST:
        return found[:limit]
    rare = rare_words(words, met, len(newest))
    return found + _in_index(finding, rare, newest[-1], limit - len(found))


def _in_index(finding: "Finding", rare: Sequence[str], last: int, limit: int) -> list[int]:
    """Those behind the newest; the index is asked for some words, and the others are looked for in what it tells."""
    words, found = finding.text.all_words, []
    if len(rare) < len(words):
        some = _asked(finding, rare, last, _LOOKED_AT)
        found = [place for place, those in _words_of(finding, some) if finding.text.has_words(those)]
        if len(found) >= limit or len(some) < _LOOKED_AT:
            return found[:limit]
        last = some[-1]
    return found + _asked(finding, words, last, limit - len(found))


def _asked(finding: "Finding", words: Sequence[str], last: int, limit: int) -> list[int]:
    wanted = [*map(_quoted, words), *(f'"{mark}"' for mark in marks_sought(finding.choice))]
    query = " ".join(wanted) + "".join(f' NOT "{mark}"' for mark in marks_refused(finding.choice))
    return finding.ask("places_by_words", limit, last=last, words=query, **finding.besides())


def _quoted(word: str) -> str:
    return f'"{word}" *' if len(word) >= SHORTEST_BEGINNING else f'"{word}"'


def _words_of(finding: "Finding", places: Sequence[int]) -> Iterator[tuple[int, Sequence[str]]]:
    wanted = {"places": msgspec.json.encode(places).decode()}
    for place, *texts in rows(finding.connection, "texts_of_jobs", wanted):
        yield place, words_from(*texts)
