"""All documents in one file with a full-text index, for every process on this machine."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import apsw

from examples.chat.worker.documents import Passage

#: Words that say nothing about what is looked for.
_NOISE = (
    "a about an and any are as at be been but by can could did do does for from had has have hello hi how i if in into "
    "is it its may me my no not of on or our please should so some tell than that the their them then there these they "
    "this those to us was we were what when where which while who why will with would you your"
)
NOISE = frozenset(_NOISE.split())
_WORD = re.compile(r"\w+")
#: What the sources of texts that users added begin with.
ADDED = "added/"
#: Milliseconds for which one process waits while another writes.
PATIENCE = 10_000


class Library:
    """Used by one thread at a time; several processes may have the same file open."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = apsw.Connection(str(path))
        self._connection.set_busy_timeout(PATIENCE)
        self._connection.pragma("journal_mode", "wal")
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS passage "
            "USING fts5(title, text, code UNINDEXED, source UNINDEXED, tokenize='porter unicode61')"
        )

    def fill(self, passages: Iterable[Passage]) -> int:
        """Hold these, and what users added; returns how many these are."""
        rows = list(passages)
        with self._connection:
            self._connection.execute("DELETE FROM passage WHERE source NOT LIKE ? || '%'", (ADDED,))
            self._insert(rows)
        return len(rows)

    def add(self, name: str, passages: Iterable[Passage]) -> None:
        """Hold also these, in the place of what was added under this name."""
        with self._connection:
            self._connection.execute("DELETE FROM passage WHERE source = ?", (name,))
            self._insert(passages)

    def search(self, question: str, limit: int = 4) -> list[Passage]:
        """What fits best, best first: passages with at least half of the words, and those with most of them first."""
        words = keywords(question)
        if not words:
            return []
        found = self._connection.execute(
            "SELECT title, text, code, source FROM passage WHERE passage MATCH ? ORDER BY bm25(passage, 4.0, 1.0) "
            "LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), 10 * limit),
        )
        passages = [Passage(title=title, text=text, code=code, source=source) for title, text, code, source in found]
        shares = {one: share_of(words, f"{one.title} {one.text}") for one in passages}
        return sorted((one for one in passages if shares[one] >= 0.5), key=lambda one: -shares[one])[:limit]

    def close(self) -> None:
        """Once or twice."""
        self._connection.close()

    def _insert(self, passages: Iterable[Passage]) -> None:
        rows = [(one.title, one.text, one.code, one.source) for one in passages]
        self._connection.executemany("INSERT INTO passage(title, text, code, source) VALUES (?, ?, ?, ?)", rows)


def keywords(question: str) -> list[str]:
    """The words that say what is looked for, each once."""
    words = (word.lower() for word in _WORD.findall(question))
    return list(dict.fromkeys(word for word in words if word not in NOISE))


def share_of(words: Sequence[str], text: str) -> float:
    """Which share of the words is in a text; endings differ more than beginnings do: "retries" and "retry"."""
    lower = text.lower()
    return sum(word[: max(4, len(word) - 3)] in lower for word in words) / len(words)
