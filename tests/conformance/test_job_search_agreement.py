"""Whatever jobs there are and whatever is looked for: both stores find what a plain look at every job finds."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goatherd.adapters.postgres import job_finding as postgres_finding
from goatherd.adapters.sqlite import job_finding, job_wording
from goatherd.model.event import Done, Event, Failed, Position, Queued, Retrying, Started
from goatherd.model.job_order import is_sought, number_of
from goatherd.model.job_record import JobNote, JobRecord, Told, notes_of, records_after
from goatherd.model.job_search import JobFilter
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.wiring import open_history, open_job_search
from scripts.servers.addresses import postgres_url
from tests.conformance.postgres_store import forget_history

T = 1_700_000_000

#: Few, so that they meet; with all that is hard about words.
TEXTS = st.one_of(
    st.sampled_from(
        [
            "order",
            "orders",
            "Order_7",
            "ÄRGER",
            "ärger",
            "straße",
            "STRASSE",
            "a@b.c",
            "x" * 50,
            "x" * 45,
            "日本語",
            "日本",
        ]
    ),
    st.sampled_from(["it's", '"q"', "1.5", "1", "ﬁne", "fine", "İstanbul", "é", "e\u0301", "NOT", "*", "§t", "true"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
)
TASKS, QUEUES, KEYS = ("mail", "mail.send", ""), ("slow", "fast"), ("", "mail/to=order", "k/1")
TIMES = st.integers(0, 5).map(lambda n: float(T + n))


@st.composite
def events(draw: st.DrawFn) -> list[Event]:
    """The life of a job, of any length."""
    at = draw(TIMES)
    arguments = msgspec.json.encode(draw(st.dictionaries(TEXTS, TEXTS | st.integers(0, 20) | st.none(), max_size=2)))
    about: dict[str, Any] = {"task": draw(st.sampled_from(TASKS)), "queue": draw(st.sampled_from(QUEUES))}
    about |= {"key": draw(st.sampled_from(KEYS)), "what": draw(st.sampled_from(["job", "run"]))}
    error, message = draw(TEXTS), draw(TEXTS)
    ends: list[Event] = [
        Done(attempt=2, at=at + 0.4, result=msgspec.Raw(b"1")),
        Failed(attempt=2, at=at + 0.4, reason="failed", error=error, message=message),
        Failed(attempt=2, at=at + 0.4, reason="expired", error=error, message=message),
    ]
    life: list[Event] = [
        Queued(attempt=0, at=at, arguments=msgspec.Raw(arguments), **about),
        Started(attempt=1, at=at + 0.1, worker="w"),
        Retrying(attempt=1, at=at + 0.2, error=error, delay=1.0),
        Started(attempt=2, at=at + 0.3, worker="w"),
        draw(st.sampled_from(ends)),
    ]
    return life[: draw(st.integers(1, 5))]


IDS = (
    "order-17",
    "order-18",
    "018f2c3a-0000-7000-8000-0123456789ab",
    "018f2c3a-0001-7000-8000-0123456789ab",
    "Ä",
    "x7",
)
FILTERS = st.builds(
    JobFilter,
    text=st.one_of(
        st.just(""),
        TEXTS,
        st.lists(TEXTS, min_size=2, max_size=2).map(" ".join),
        st.sampled_from(IDS).map(lambda i: i[-6:]),
    ),
    task=st.none() | st.sampled_from(TASKS),
    queue=st.none() | st.sampled_from(QUEUES),
    status=st.none() | st.sampled_from(["queued", "running", "retrying", "done", "failed", "expired"]),
    key=st.none() | st.sampled_from(KEYS[1:]),
    kind=st.none() | st.sampled_from(["job", "run"]),
    since=st.none() | TIMES,
    until=st.none() | TIMES,
)
LIVES = st.dictionaries(st.sampled_from(IDS), events(), max_size=6)


def noted(lives: dict[str, list[Event]], first: int, last: int | None) -> list[JobNote]:
    """The events of all jobs from one number to another."""
    return notes_of(
        Told(job=job, position=Position("aa", seq), event=event)
        for job, life in lives.items()
        for seq, event in enumerate(life, 1)
        if seq > first and (last is None or seq <= last)
    )


def expected(lives: dict[str, list[Event]], choice: JobFilter) -> list[str]:
    records: Sequence[JobRecord] = records_after(noted(lives, 0, None), {})
    found = [record for record in records if is_sought(record, choice)]
    return sorted(record.job for record in found)


async def agree(
    store: Settings, lives: dict[str, list[Event]], choices: list[JobFilter], split: int, limit: int
) -> None:
    """Write some events, then the others, and look for all that is looked for, page by page."""
    async with AsyncExitStack() as life:
        history = await open_history(store, SystemClock())
        life.push_async_callback(history.close)
        search = await open_job_search(store, SystemClock())
        life.push_async_callback(search.close)
        await history.note(noted(lives, 0, split))
        await history.note(noted(lives, split, None))
        for choice in choices:
            page = await search.search(choice, limit)
            found = list(page.jobs)
            while page.next is not None:
                page = await search.search(choice, limit, page.next)
                found += page.jobs
            assert sorted(job.job for job in found) == expected(lives, choice), choice
            moments = [number_of(job.created) for job in found]
            assert moments == sorted(moments, reverse=True)
        statuses = [record.state.status for record in records_after(noted(lives, 0, None), {})]
        assert dict(await search.counts()) == {status: statuses.count(status) for status in statuses}


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few jobs are looked at one by one, so that the index is asked though there are few."""
    monkeypatch.setattr(job_wording, "NEWEST", 2)
    monkeypatch.setattr(job_wording, "_LOOKED_AT", 2)
    monkeypatch.setattr(job_finding, "_NEWEST", 2)
    monkeypatch.setattr(job_finding, "_FEW", 1)
    monkeypatch.setattr(job_finding, "_MANY", 3)
    for name in ("_SAMPLED", "_MORE_SAMPLED", "_SAMPLED_OF_FACETS", "_LOOKED_AT", "_NEWEST"):
        monkeypatch.setattr(postgres_finding, name, 2)
    monkeypatch.setattr(postgres_finding, "_FEW", 1)
    monkeypatch.setattr(postgres_finding, "_MANY", 3)


def each_in_a_store_of_its_own(
    opened: Callable[[str], Settings], left: Callable[[str], Awaitable[None]] | None = None, examples: int = 25
) -> Any:
    """What is checked, on stores that one function names and another clears away."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(LIVES, st.lists(FILTERS, min_size=4, max_size=12), st.integers(0, 5), st.integers(1, 3))
    def check(lives: dict[str, list[Event]], choices: list[JobFilter], split: int, limit: int) -> None:
        name = f"agree-{uuid4().hex}"

        async def run() -> None:
            try:
                await agree(opened(name), lives, choices, split, limit)
            finally:
                if left is not None:
                    await left(name)

        asyncio.run(run())

    return check


def test_sqlite_agrees(tmp_path: Path) -> None:
    each_in_a_store_of_its_own(lambda name: Settings(broker_url=f"sqlite:///{tmp_path}/{name}.db", default_queue="q"))()


@pytest.mark.servers("postgres")
def test_postgres_agrees() -> None:
    def opened(name: str) -> Settings:
        return Settings(broker_url="sqlite:///unused.db", records_url=postgres_url(), default_queue="q", app=name)

    each_in_a_store_of_its_own(opened, forget_history)()
