"""What people look for on the dashboard: each kind in many forms."""

import random
from collections.abc import Callable, Iterator, Mapping

from benchmarks.dashboard.past import BEGINNING, CITIES, QUEUES, TASKS, WEEK, Past
from goatherd.model.job_search import JobFilter

#: Makes one question of a kind.
Asking = Callable[[random.Random, Past], JobFilter]


def _task(chance: random.Random) -> str:
    return f"shop.orders.task_{chance.randrange(TASKS):02d}"


def _window(chance: random.Random, **more: str) -> JobFilter:
    since = BEGINNING + chance.random() * WEEK * 0.9
    return JobFilter(since=since, until=since + 3600, **more)  # type: ignore[arg-type]


#: Without a text.
LISTS: Mapping[str, Asking] = {
    "all": lambda _, __: JobFilter(),
    "a state": lambda chance, _: JobFilter(status=chance.choice(["done", "failed", "running", "expired", "queued"])),
    "a task": lambda chance, _: JobFilter(task=_task(chance)),
    "a task and a state": lambda chance, _: JobFilter(task=_task(chance), status=chance.choice(["failed", "expired"])),
    "a queue": lambda chance, _: JobFilter(queue=f"queue-{chance.randrange(QUEUES)}"),
    "an hour": lambda chance, _: _window(chance),
    "an hour and a state": lambda chance, _: _window(chance, status="failed"),
    "a key": lambda chance, _: JobFilter(key=f"queue-0/customer_id={chance.randrange(50_000)}"),
}
#: With one.
SEARCHES: Mapping[str, Asking] = {
    "an id": lambda chance, past: JobFilter(text=past.id(chance.randrange(past.jobs))),
    "the end of an id": lambda chance, past: JobFilter(text=past.id(chance.randrange(past.jobs))[-8:]),
    "no such id": lambda chance, _: JobFilter(text=f"deadbeef-{chance.randrange(10_000):04d}"),
    "a rare word": lambda chance, past: JobFilter(text=str(1_000_000 + chance.randrange(past.jobs))),
    "an address": lambda chance, _: JobFilter(text=f"user{chance.randrange(200_000)}@example.org"),
    "a word of a tenth": lambda chance, _: JobFilter(text=chance.choice(CITIES)),
    "a word of all": lambda chance, _: JobFilter(text=chance.choice(["order", "example", "deliver back door"])),
    "a beginning": lambda chance, _: JobFilter(text=chance.choice(["ber", "pra", "use", "ord", "conn", "100", "150"])),
    "an error": lambda chance, _: JobFilter(text=chance.choice(["ConnectionError", "TimeoutError", "refused"])),
    "an error of one host": lambda chance, _: JobFilter(text=f"mail{chance.randrange(1000)} refused"),
    "a word and a state": lambda chance, _: JobFilter(text=chance.choice(CITIES), status="failed"),
    "a word and a rare state": lambda chance, _: JobFilter(text=chance.choice(CITIES), status="running"),
    "a word and a task": lambda chance, _: JobFilter(text=chance.choice(CITIES), task=_task(chance)),
    "words that never meet": lambda chance, _: JobFilter(text=" ".join(chance.sample(CITIES, 2))),
    "an error that ended well": lambda _, __: JobFilter(text="refused", status="done"),
    "nothing": lambda chance, _: JobFilter(text=f"zebra{chance.randrange(100)}"),
}


def asked(kinds: Mapping[str, Asking], past: Past, times: int) -> Iterator[tuple[str, JobFilter]]:
    """Each kind so often, in turn."""
    chance = random.Random(11)
    for _ in range(times):
        for kind, ask in kinds.items():
            yield kind, ask(chance, past)
