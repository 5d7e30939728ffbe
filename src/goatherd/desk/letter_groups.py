"""Dead letters that died of the same: of one task, with one error, numbers and ids in its message aside."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import msgspec

#: What differs between errors that are the same: ids, addresses, numbers.
_VARYING = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b|\d+", re.IGNORECASE
)
#: Characters of a message that tell errors apart.
LONGEST_MESSAGE = 1000
#: Letters that a group names.
MOST_SAMPLES = 5


class Dead(Protocol):
    """What it takes to know to which group a letter belongs."""

    @property
    def id(self) -> str: ...
    @property
    def task(self) -> str | None: ...
    @property
    def reason(self) -> str: ...
    @property
    def error_type(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def failed_at(self) -> datetime: ...


@dataclass(frozen=True, kw_only=True)
class LetterGroup:
    """Letters of one task that died of the same error."""

    #: The same for the same task and error, whoever looks and whenever.
    id: str
    task: str | None
    reason: str
    error_type: str
    #: Of the newest letter.
    message: str
    count: int
    oldest: datetime
    newest: datetime
    #: Ids of the newest letters, the newest first.
    samples: tuple[str, ...]


class _Gathered:
    """Letters of one group, as they come."""

    def __init__(self, group: str) -> None:
        self._id = group
        self._count = 0
        #: The newest so far, oldest first.
        self._newest: list[Dead] = []
        self._oldest: datetime | None = None

    def add(self, letter: Dead) -> None:
        self._count += 1
        self._oldest = letter.failed_at if self._oldest is None else min(self._oldest, letter.failed_at)
        if len(self._newest) < MOST_SAMPLES or letter.failed_at >= self._newest[0].failed_at:
            self._newest.append(letter)
            self._newest.sort(key=lambda each: each.failed_at)
            del self._newest[:-MOST_SAMPLES]

    def group(self) -> LetterGroup:
        newest = self._newest[-1]
        assert self._oldest is not None, "a group is made for its first letter"
        return LetterGroup(
            id=self._id,
            task=newest.task,
            reason=newest.reason,
            error_type=newest.error_type,
            message=newest.message,
            count=self._count,
            oldest=self._oldest,
            newest=newest.failed_at,
            samples=tuple(letter.id for letter in reversed(self._newest)),
        )


def group_of(letter: Dead) -> str:
    """The id of the group to which a letter belongs."""
    told = [letter.task, letter.error_type, _VARYING.sub("#", letter.message[:LONGEST_MESSAGE])]
    return hashlib.blake2b(msgspec.json.encode(told), digest_size=8).hexdigest()


def grouped(letters: Iterable[Dead]) -> list[LetterGroup]:
    """By task and error; the largest group first."""
    groups: dict[str, _Gathered] = {}
    for letter in letters:
        group = group_of(letter)
        if group not in groups:
            groups[group] = _Gathered(group)
        groups[group].add(letter)
    return sorted((each.group() for each in groups.values()), key=lambda group: -group.count)
