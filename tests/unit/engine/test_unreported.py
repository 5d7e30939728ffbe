import time

import pytest

from goatherd.engine.meter import Meter
from goatherd.engine.unreported import Unreported
from goatherd.model.formats import Work
from goatherd.model.message import Message
from goatherd.model.process import Counted
from goatherd.ports.telemetry import Outcome

WORK = Work(job_id="j", run_id="j", task="mail", payload=b"{}", failures=0, created=0.0)  # type: ignore[arg-type]


def end(meter: Meter, queue: str, outcome: Outcome) -> None:
    meter.started(queue, "mail", WORK, 0.0)
    meter.ended(queue, "mail", WORK, outcome, 0.1)


def test_what_happened_is_taken_once() -> None:
    meter, unreported = Meter(), Unreported()
    meter.sent(Message(id="1", queue="a", body=b"", task="mail"))
    end(meter, "a", "done")
    end(meter, "b", "retried")
    meter.buried("b", "mail", "j", "failed")
    assert unreported.take(meter.readings).counted == {
        "a": Counted(sent=1, done=1),
        "b": Counted(retried=1, dead=1),
    }
    assert unreported.take(meter.readings).counted == {}
    end(meter, "a", "done")
    assert unreported.take(meter.readings).counted == {"a": Counted(done=1)}


@pytest.mark.parametrize(
    ("outcome", "counted"),
    [
        ("done", Counted(done=1)),
        ("failed", Counted(failed=1)),
        ("expired", Counted(failed=1)),
        ("retried", Counted(retried=1)),
    ],
)
def test_ends_of_attempts(outcome: Outcome, counted: Counted) -> None:
    meter = Meter()
    end(meter, "a", outcome)
    assert Unreported().take(meter.readings).counted == {"a": counted}


@pytest.mark.parametrize("outcome", ["cancelled", "handed_back", "dead"])
def test_other_ends_are_told_otherwise_or_not_at_all(outcome: Outcome) -> None:
    meter = Meter()
    end(meter, "a", outcome)
    assert Unreported().take(meter.readings).counted == {}


def test_queues_of_one_task_are_counted_by_their_pattern() -> None:
    meter = Meter()
    meter.count_together("mail", "mail-{}")
    end(meter, "mail-1", "done")
    end(meter, "mail-2", "done")
    assert Unreported().take(meter.readings).counted == {"mail-{}": Counted(done=2)}


def test_it_is_told_over_how_long_a_time() -> None:
    meter, unreported = Meter(), Unreported()
    before = time.monotonic()
    unreported.take(meter.readings)
    assert 0 <= unreported.take(meter.readings).seconds <= time.monotonic() - before
