"""The words of a job, by which it is found in the history: split here, so that every store finds the same."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from goatherd.model.job_record import JobRecord

#: Characters of a word, beyond which the next begins; and from how many on it may be the beginning of a longer one.
LONGEST_WORD, SHORTEST_BEGINNING = 40, 3
#: Words of a text that are looked for, and its characters that may be an id: who looks for more gets no other jobs.
MOST_SOUGHT, LONGEST_SOUGHT = 32, 2000
#: Characters of an error, of its message and of a key that are looked at.
LOOKED_AT = 1000
#: From how many characters on a text is looked for at the beginning and at the end of ids.
ID_BEGINNING, ID_END = 8, 6

_WORD = re.compile(rf"[^\W_]{{1,{LONGEST_WORD}}}")


def words_in(text: str) -> list[str]:
    """The words of a text in order: letters and digits, without regard to case or to how they are composed."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text.casefold())


def words_of(record: JobRecord) -> list[str]:
    """All words by which a job is found, each once."""
    about, state = record.about, record.state
    return words_from(about.task, about.key, about.arguments, state.error, state.message)


def words_from(task: str, key: str, arguments: bytes, error: str, message: str) -> list[str]:
    """The same of what a job is found by."""
    # One text of all: it is taken apart once.
    texts = (task, key[:LOOKED_AT], error[:LOOKED_AT], message[:LOOKED_AT], _text_in(arguments))
    return list(dict.fromkeys(words_in("\n".join(texts))))


class Sought(msgspec.Struct, frozen=True, kw_only=True):
    """A text as it is looked for."""

    #: All of which must be there: as they are, and as beginnings.
    words: Sequence[str] = ()
    beginnings: Sequence[str] = ()
    #: What may be an id instead, or a part of one.
    id: str = ""

    @property
    def anything(self) -> bool:
        """Whether every job is looked for."""
        return not (self.words or self.beginnings or self.id)

    @property
    def all_words(self) -> Sequence[str]:
        """Both kinds."""
        return [*self.words, *self.beginnings]

    def matches(self, job: str, words: Collection[str]) -> bool:
        """Whether a job with these words is looked for."""
        return self.anything or self.has_id(job) or self.has_words(words)

    def has_id(self, job: str) -> bool:
        """Whether it is looked for by its id."""
        return is_id_of(self.id, job)

    def has_words(self, words: Collection[str]) -> bool:
        """Whether it is looked for by its words."""
        return bool(self.words or self.beginnings) and all(has_word(words, word) for word in self.all_words)


def has_word(words: Collection[str], sought: str) -> bool:
    """Whether a word is among others, or the beginning of one."""
    if sought in words:
        return True
    return len(sought) >= SHORTEST_BEGINNING and any(word.startswith(sought) for word in words)


def sought(text: str) -> Sought:
    """What a text looks for."""
    text = text[:LONGEST_SOUGHT]
    words = list(dict.fromkeys(words_in(text)))[:MOST_SOUGHT]
    stripped = text.strip()
    return Sought(
        words=[word for word in words if len(word) < SHORTEST_BEGINNING],
        beginnings=[word for word in words if len(word) >= SHORTEST_BEGINNING],
        id="" if len(stripped.split()) > 1 else stripped,
    )


def is_id_of(text: str, job: str) -> bool:
    """Whether a text is an id, its beginning or its end."""
    if not text:
        return False
    return (
        job == text
        or (len(text) >= ID_BEGINNING and job.startswith(text))
        or (len(text) >= ID_END and job.endswith(text))
    )


def _text_in(arguments: bytes) -> str:
    text = arguments.decode("utf-8", "replace")
    if "\\" not in text:
        # Between the words of JSON there is nothing but what separates words anyway.
        return text
    try:
        return "\n".join(_texts_in(msgspec.json.decode(text)))
    except (msgspec.DecodeError, RecursionError):
        # Of another program, or of somebody who means harm.
        return text


def _texts_in(value: Any) -> Iterator[str]:
    """What escapes stand for in JSON is not part of a word."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_in(inner)
    elif isinstance(value, str):
        yield value
    else:
        yield msgspec.json.encode(value).decode()
