"""A week of a shop, of any number of jobs: the same in every run."""

import random
from collections.abc import Iterator, Sequence

import msgspec

from goatherd.model.event import Done, Event, Failed, Position, Queued, Started
from goatherd.model.job_record import JobNote, Told, notes_of

BEGINNING, WEEK = 1_780_000_000.0, 7 * 86_400.0
CITIES = ("berlin", "paris", "london", "madrid", "rome", "vienna", "prague", "oslo", "lisbon", "dublin")
TASKS, QUEUES, CUSTOMERS = 40, 6, 50_000
_ERRORS = (
    ("ConnectionError", "the host mail{}.example.org refused the connection"),
    ("ValueError", "invalid literal for int() with base 10: 'x{}'"),
    ("TimeoutError", "no answer within {} s"),
)
#: Shares of jobs that end well, that fail, and that expire; the rest run.
_DONE, _FAILED, _EXPIRED = 0.95, 0.985, 0.99


class Past:
    """The jobs, each by its number."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def at(self, number: int) -> float:
        """When a job was accepted."""
        return BEGINNING + number * WEEK / self.jobs

    def id(self, number: int) -> str:
        """As ids are made: by the time, with noise at the end."""
        text = f"{int(self.at(number) * 1000):012x}"
        noise = f"{random.Random(number).getrandbits(80):020x}"
        return f"{text[:8]}-{text[8:]}-7{noise[:3]}-8{noise[3:6]}-{noise[6:18]}"

    def notes(self, numbers: Sequence[int]) -> list[JobNote]:
        """The whole lives of jobs."""
        return notes_of(told for number in numbers for told in self._life(number))

    def beginnings(self, numbers: Sequence[int]) -> list[JobNote]:
        """What is told until they run."""
        return notes_of(told for number in numbers for told in list(self._life(number))[:2])

    def _life(self, number: int) -> Iterator[Told]:
        for seq, event in enumerate(self._events(number), 1):
            yield Told(job=self.id(number), position=Position("aa", seq), event=event)

    def _events(self, number: int) -> Iterator[Event]:
        at, chance = self.at(number), random.Random(number)
        arguments = {
            "order_id": 1_000_000 + number,
            "email": f"user{chance.randrange(200_000)}@example.org",
            "city": chance.choice(CITIES),
            "note": "deliver to the back door",
        }
        yield Queued(
            attempt=0,
            at=at,
            task=f"shop.orders.task_{number % TASKS:02d}",
            queue=f"queue-{number % QUEUES}",
            key=f"queue-{number % QUEUES}/customer_id={chance.randrange(CUSTOMERS)}" if number % 10 < 3 else "",
            arguments=msgspec.Raw(msgspec.json.encode(arguments)),
        )
        yield Started(attempt=1, at=at + 0.5, worker="host:1")
        fate = chance.random()
        if fate < _DONE:
            yield Done(attempt=1, at=at + 1, result=msgspec.Raw(b'{"ok":true}'))
        elif fate < _FAILED:
            error, message = chance.choice(_ERRORS)
            told = message.format(chance.randrange(1000))
            yield Failed(attempt=1, at=at + 1, reason="failed", error=error, message=told, traceback="line\n" * 40)
        elif fate < _EXPIRED:
            yield Failed(attempt=1, at=at + 1, reason="expired", error="Expired", message="too late")
