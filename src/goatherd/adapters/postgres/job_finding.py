"""Find jobs that are looked for, on one connection."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from goatherd.adapters.postgres.connection import Connection
from goatherd.adapters.postgres.job_search_sql import (
    AMONG_NEWEST,
    BY_END_OF_ID,
    BY_ID,
    BY_WORDS,
    FACETS,
    NEWEST,
    OF_FACETS,
    SAMPLE,
    SAMPLE_NEWEST,
)
from goatherd.adapters.postgres.texts import kept
from goatherd.adapters.word_sample import rare_words
from goatherd.model.job_marks import beginning_of_id_mark, marks_refused, marks_sought
from goatherd.model.job_order import numbers_of
from goatherd.model.job_search import JobFilter, JobPlace
from goatherd.model.job_words import ID_BEGINNING, SHORTEST_BEGINNING, sought

#: A job's number and its id, by which jobs are in order.
Place: TypeAlias = tuple[int, str]

#: A task, a queue, a kind and a status that do not matter.
_ANY = (None, None, None, None)
#: Follows on every text that begins with another.
_AFTER_ALL = "\U0010ffff"
#: More kinds of jobs than these are not asked for one by one before the newest jobs were looked at, whatever they are.
_FEW, _NEWEST = 20, 1000
#: More than these are never asked for one by one where the index of words can tell: every customer may have a queue.
_MANY = 500
#: The newest jobs that are looked at before the index of words is asked, and how many if that is likely to be enough:
#: they are beside each other, and what the index tells is not.
_SAMPLED, _MORE_SAMPLED = 1500, 15_000
#: Jobs of some kinds that are looked at, one by one, before the index of words is asked: they are dearer to find.
_SAMPLED_OF_FACETS = 250
#: Jobs that the index tells for some words, in which the others are looked for, before it is asked for all words.
_LOOKED_AT = 3000


class Sample(NamedTuple):
    """What the newest jobs tell."""

    found: list[Place]
    met: Mapping[str, int]
    size: int
    #: The last of them; None if there are no more.
    last: Place | None


class Finding:
    """One search."""

    def __init__(self, connection: Connection, prefix: str, choice: JobFilter, before: JobPlace | None) -> None:
        self._connection = connection
        self._choice = msgspec.structs.replace(
            choice, task=kept(choice.task), queue=kept(choice.queue), key=kept(choice.key)
        )
        self._text = sought(choice.text)
        first, last = numbers_of(choice)
        behind = (last, "") if before is None else min((last, ""), (before.number, kept(before.job)))
        self._span: dict[str, Any] = {"prefix": prefix, "first": first, "last": behind[0], "last_job": behind[1]}

    async def places(self, limit: int) -> list[Place]:
        """The newest of what is looked for, in order, at most so many."""
        if self._text.anything:
            return await self._regardless_of_text(limit)
        found = set(await self._by_words(limit))
        if self._text.id:
            found.update(await self._by_id(limit))
        return sorted(found, reverse=True)[:limit]

    async def _regardless_of_text(self, limit: int) -> list[Place]:
        choice = self._choice
        if choice.key is not None:
            return await self._in_index([], limit)
        if self._wants_all:
            return await self._ask(NEWEST, limit)
        wanted = await self._rows(FACETS, self._facets())
        facets, statuses = [facet for facet, _ in wanted], [status for _, status in wanted]
        if len(wanted) > _FEW:
            newest = await self._rows(AMONG_NEWEST, {**self._span, "limit": _NEWEST, **await self._besides()})
            among = [(number, job) for number, job, is_wanted in newest if is_wanted]
            if len(among) >= limit or len(newest) < _NEWEST:
                return among[:limit]
        if len(wanted) > _MANY and marks_sought(choice):
            return await self._in_index([], limit)
        return await self._ask(OF_FACETS, limit, facets=facets, statuses=statuses)

    async def _by_words(self, limit: int) -> list[Place]:
        """First among the newest, one by one, then in the index."""
        words = self._text.all_words
        if not words:
            return []
        if self._wants_all:
            sample = await self._sample_of_all(words, limit, _SAMPLED)
            if len(sample.found) < limit <= len(sample.found) * _MORE_SAMPLED / _SAMPLED:
                # So many have them that the index would tell of more than have to be looked at here.
                sample = await self._sample_of_all(words, limit, _MORE_SAMPLED)
        else:
            sample = await self._sample_of_facets(words)
        found = sample.found
        if len(found) >= limit or sample.last is None:
            return found[:limit]
        last, rare = sample.last, rare_words(words, sample.met, sample.size)
        if len(rare) < len(words):
            some = await self._in_index(rare, _LOOKED_AT, last)
            found += (await self._sampled(some, words))[0]
            if len(found) >= limit or len(some) < _LOOKED_AT:
                return found[:limit]
            last = some[-1]
        return found + await self._in_index(words, limit - len(found), last)

    @property
    def _wants_all(self) -> bool:
        choice = self._choice
        return (choice.task, choice.queue, choice.kind, choice.status) == _ANY and choice.key is None

    async def _sample_of_all(self, words: Sequence[str], limit: int, most: int) -> Sample:
        """Among the newest jobs, which have all words, and how many have each."""
        asked = {f"word{n}": _quoted(word) for n, word in enumerate(words)}
        sql = SAMPLE_NEWEST.format(
            judged=", ".join(f"words @@ %({name})s::tsquery AS {name}" for name in asked),
            all=" AND ".join(asked),
            met=", ".join(f"count(*) FILTER (WHERE {name})" for name in asked),
        )
        [row] = await self._rows(sql, {**self._span, **asked, "limit": most, "wanted": limit})
        size, number, job, numbers, jobs, *counts = row
        found = list(zip(numbers or (), jobs or (), strict=True))
        last = None if size < most else (number, job)
        return Sample(found=found, met=dict(zip(words, counts, strict=True)), size=size, last=last)

    async def _sample_of_facets(self, words: Sequence[str]) -> Sample:
        newest = await self._regardless_of_text(_SAMPLED_OF_FACETS)
        found, met = await self._sampled(newest, words)
        last = None if len(newest) < _SAMPLED_OF_FACETS else newest[-1]
        return Sample(found=found, met=met, size=len(newest), last=last)

    async def _in_index(self, words: Sequence[str], limit: int, last: Place | None = None) -> list[Place]:
        wanted = [*map(_quoted, words), *(f"'{mark}'" for mark in marks_sought(self._choice))]
        query = " & ".join([*wanted, *(f"!'{mark}'" for mark in marks_refused(self._choice))])
        more = {} if last is None else {"last": last[0], "last_job": last[1]}
        return await self._ask(BY_WORDS, limit, query=query, **more, **await self._besides())

    async def _sampled(self, places: Sequence[Place], words: Sequence[str]) -> tuple[list[Place], dict[str, int]]:
        """Which of some jobs have all words, and how many have each."""
        asked = {f"word{n}": _quoted(word) for n, word in enumerate(words)}
        met = ", ".join(f"count(*) FILTER (WHERE words.words @@ %({name})s::tsquery)" for name in asked)
        parameters = {
            "prefix": self._span["prefix"],
            "numbers": [number for number, _ in places],
            "jobs": [job for _, job in places],
            "query": " & ".join(asked.values()),
            **asked,
        }
        [[numbers, jobs, *counts]] = await self._rows(SAMPLE.format(met=met), parameters)
        found = list(zip(numbers or (), jobs or (), strict=True))
        return found, dict(zip(words, counts, strict=True))

    async def _by_id(self, limit: int) -> list[Place]:
        """Those whose id is the text, begins with it or ends so."""
        id, besides = kept(self._text.id), await self._besides()
        to = id + (_AFTER_ALL if len(id) >= ID_BEGINNING else "\x01")
        found = await self._ask(BY_ID, limit, **{"from": id, "to": to}, **besides)
        if (mark := beginning_of_id_mark(self._text)) is not None:
            found += await self._ask(BY_END_OF_ID, limit, query=f"'{mark}':*", id=id, **besides)
        return found

    async def _besides(self) -> dict[str, Any]:
        choice, facets = self._choice, None
        if (choice.task, choice.queue, choice.kind) != _ANY[:3]:
            # Whatever its status: that of a job is told by the job itself.
            facets = sorted({facet for facet, _ in await self._rows(FACETS, self._facets() | {"status": None})})
        return {"status": choice.status, "key": choice.key, "facets": facets}

    def _facets(self) -> dict[str, Any]:
        choice, prefix = self._choice, self._span["prefix"]
        asked = {"task": choice.task, "queue": choice.queue, "kind": choice.kind, "status": choice.status}
        return {"prefix": prefix, **asked}

    async def _ask(self, sql: str, limit: int, **more: Any) -> list[Place]:
        return [(number, job) for number, job in await self._rows(sql, {**self._span, "limit": limit, **more})]

    async def _rows(self, sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        cursor = self._connection.cursor(binary=True)
        await cursor.execute(sql.encode(), parameters, prepare=True)
        return await cursor.fetchall()


def _quoted(word: str) -> str:
    return f"'{word}':*" if len(word) >= SHORTEST_BEGINNING else f"'{word}'"
