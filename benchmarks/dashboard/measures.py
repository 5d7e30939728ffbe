"""What is measured of a history: how fast it is written when it is full, and how fast jobs are found in it."""

import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.dashboard.contender import HistoryStore
from benchmarks.dashboard.past import Past
from benchmarks.dashboard.questions import LISTS, SEARCHES, Asking, asked
from benchmarks.figures import percentile
from benchmarks.measures import Sample
from goatherd.ports.clock import SystemClock
from goatherd.ports.job_search import JobSearch
from goatherd.wiring import open_history, open_job_search

#: Jobs of one note while the history is filled, and as a router notes them.
AT_ONCE, ROUTED = 2000, 33
#: Jobs that are noted when it is full, and how often each kind of question is asked.
NOTED, TIMES = 3300, 20
#: Jobs on a page.
PAGE = 50


async def searched(store: HistoryStore, place: Path, jobs: int) -> Sample:
    """Fill it, write some more as a router does, then look for jobs."""
    settings, past = store.settings(place), Past(jobs)
    history = await open_history(settings, SystemClock())
    try:
        for first in range(0, jobs, AT_ONCE):
            await history.note(past.notes(range(first, min(jobs, first + AT_ONCE))))
        began, cpu = time.perf_counter(), time.process_time()
        for first in range(jobs, jobs + NOTED, ROUTED):
            those = range(first, first + ROUTED)
            await history.note(past.beginnings(those))
            await history.note(past.notes(those))
        seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    finally:
        await history.close()
    search = await open_job_search(settings, SystemClock())
    try:
        lists = await _timed(search, LISTS, past)
        searches = await _timed(search, SEARCHES, past)
    finally:
        await search.close()
    all_lists = [took for each in lists.values() for took in each]
    all_searches = [took for each in searches.values() for took in each]
    return {
        "noted": NOTED / seconds,
        "note_cpu": cpu_seconds * 1_000_000 / NOTED,
        "list_p50": percentile(all_lists, 50),
        "list_p95": percentile(all_lists, 95),
        "search_p50": percentile(all_searches, 50),
        "search_p95": percentile(all_searches, 95),
        "dearest_p95": max(percentile(each, 95) for each in searches.values()),
    }


async def _timed(search: JobSearch, kinds: Mapping[str, Asking], past: Past) -> dict[str, list[float]]:
    """Milliseconds of each kind of question, the first of each left out: it warms the store."""
    took: dict[str, list[float]] = {kind: [] for kind in kinds}
    for kind, choice in asked(kinds, past, TIMES + 1):
        began = time.perf_counter()
        await search.search(choice, PAGE)
        took[kind].append((time.perf_counter() - began) * 1000)
    return {kind: times[1:] for kind, times in took.items()}
