"""The store of dead letters, which lives with the broker."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from goatherd.model.dead_letter import LetterFilter, StoredLetter
from goatherd.model.message import Message


class DeadLetters(Protocol):
    """Keeps what will not be tried again by itself until somebody decides."""

    def find(self, wanted: LetterFilter, limit: int | None = None) -> AsyncIterator[StoredLetter]:
        """Matching letters, oldest first, each once; letters that arrive meanwhile may be left out."""

    async def count(self) -> int:
        """How many there are, about: one that somebody looks at just now may be left out. Cheap, however many."""

    async def get(self, letter_id: str) -> StoredLetter:
        """One letter; raises UnknownJob."""

    async def replay(self, pairs: Sequence[tuple[StoredLetter, Message]]) -> int:
        """Publish each message in the place of its letter; returns how many were still there.

        Never neither: a crash half-way leaves a letter or its message, at worst (on some brokers) both.
        """

    async def keep(self, letters: Sequence[StoredLetter]) -> None:
        """Take in letters that never were deliveries of this broker, as if they had been buried from their queues.

        Durable when it returns; raises Unavailable, and may be repeated then: a letter that is here already is not
        taken a second time, and a copy that a broker has to keep all the same is shown, replayed and discarded with
        the first. One that was replayed or discarded in between comes back. Whoever is told of dead letters is told of
        these. The queues need not exist.
        """

    async def discard(self, letters: Sequence[StoredLetter]) -> int:
        """Delete them for good; returns how many were still there."""
