"""Find the places of jobs that are looked for: each way reads as few rows as it can, and the newest first."""

from typing import Any

import apsw
import msgspec

from goatherd.adapters.sqlite.job_wording import find_by_words
from goatherd.adapters.sqlite.queries import rows
from goatherd.model.job_marks import beginning_of_id_mark, marks_sought
from goatherd.model.job_order import numbers_of
from goatherd.model.job_search import JobFilter, JobPlace
from goatherd.model.job_words import ID_BEGINNING, sought

#: More kinds of jobs than these are not asked for one by one before the newest jobs were looked at.
_FEW = 20
#: More than these are never asked for one by one where the index of words can tell: every customer may have a queue.
_MANY = 500
#: The newest jobs that are looked at, whatever they are.
_NEWEST = 2000
#: A task, a queue, a kind and a status that do not matter.
_ANY = (None, None, None, None)
#: Follows on every text that begins with another.
_AFTER_ALL = "\U0010ffff"


class Finding:
    """One search, in one transaction."""

    def __init__(self, connection: apsw.Connection, choice: JobFilter, before: JobPlace | None) -> None:
        first, last = numbers_of(choice)
        self.connection = connection
        self.choice = choice
        self.text = sought(choice.text)
        self.first = first
        self.last = last if before is None else min(last, before.number)

    def places(self, limit: int) -> list[int]:
        """The newest of what is looked for, in order, at most so many."""
        if self.text.anything:
            return self.regardless_of_text(limit)
        found = set(find_by_words(self, limit))
        if self.text.id:
            found.update(self._by_id(limit))
        return sorted(found, reverse=True)[:limit]

    def regardless_of_text(self, limit: int) -> list[int]:
        """The newest jobs that are as wanted, whatever their words are."""
        if self.choice.key is not None:
            return self._by_marks(limit)
        if (self.choice.task, self.choice.queue, self.choice.kind, self.choice.status) == _ANY:
            return self.ask("newest_places", limit)
        return self._by_facets(limit)

    def ask(self, statement: str, limit: int, **more: Any) -> list[int]:
        """Places of one statement."""
        asked = {"first": self.first, "last": self.last, "limit": limit, **more}
        return [place for place, *_ in rows(self.connection, statement, asked)]

    def besides(self) -> dict[str, Any]:
        """What a job must be, apart from its words."""
        choice, facets = self.choice, None
        if (choice.task, choice.queue, choice.kind) != _ANY[:3]:
            # Whatever its status: that of a job is told by the job itself.
            any_status = self._facets() | {"status": None}
            known = {facet for facet, _ in rows(self.connection, "facet_counts", any_status)}
            facets = msgspec.json.encode(sorted(known)).decode()
        return {"status": choice.status, "key": choice.key, "facets": facets}

    def _by_facets(self, limit: int) -> list[int]:
        """Those of a task, a queue, a kind or a status; an index has each combination in order."""
        wanted = set(rows(self.connection, "facet_counts", self._facets()))
        if len(wanted) > _FEW:
            span = {"first": self.first, "last": self.last, "limit": _NEWEST}
            newest = rows(self.connection, "newest_facets", span)
            among = [place for place, *which in newest if tuple(which) in wanted]
            if len(among) >= limit or len(newest) < _NEWEST:
                return among[:limit]
        if len(wanted) > _MANY and marks_sought(self.choice):
            return self._by_marks(limit)
        found = [
            place
            for facet, status in wanted
            for place in self.ask("places_of_facet", limit, facet=facet, status=status)
        ]
        return sorted(found, reverse=True)[:limit]

    def _by_marks(self, limit: int) -> list[int]:
        """Those that the index of words tells by what they belong to."""
        marks = " ".join(f'"{mark}"' for mark in marks_sought(self.choice))
        return self.ask("places_by_words", limit, words=marks, **self.besides())

    def _by_id(self, limit: int) -> list[int]:
        """Those whose id is the text, begins with it or ends so."""
        text, besides = self.text, self.besides()
        to = text.id + (_AFTER_ALL if len(text.id) >= ID_BEGINNING else "\0")
        found = self.ask("places_by_id", limit, **{"from": text.id, "to": to}, **besides)
        if (mark := beginning_of_id_mark(text)) is not None:
            found += self.ask("places_by_end_of_id", limit, words=f'"{mark}" *', id=text.id, **besides)
        return found

    def _facets(self) -> dict[str, Any]:
        choice = self.choice
        return {"task": choice.task, "queue": choice.queue, "kind": choice.kind, "status": choice.status}
