"""Appends that make no sense are refused before any store sees them."""

from collections.abc import Sequence

import msgspec
import pytest

from goatherd.model.admission import Append, new_epoch
from goatherd.model.event import Done, Event, Failed, Queued, Retrying, Snapshot, Started, Token

QUEUED = Queued(attempt=0, at=0)
STARTED = Started(attempt=1, at=0, worker="w")
TOKEN = Token(attempt=1, at=0, text="x")
WHOLE = Snapshot(attempt=1, at=0, stage="", text="x")
DONE = Done(attempt=1, at=0, result=msgspec.Raw(b"1"))
FAILED = Failed(attempt=0, at=0, reason="lost", error="", message="")
RETRYING = Retrying(attempt=1, at=0, error="", delay=1)


@pytest.mark.parametrize(
    ("events", "run", "number"),
    [
        ([], "r", 1),
        ([], "", 0),
        ([STARTED, Token(attempt=2, at=0, text="x")], "r", 1),
        ([STARTED, TOKEN, DONE, TOKEN], "r", 1),
        ([STARTED, STARTED], "r", 1),
        ([TOKEN, WHOLE], "r", 2),
        ([TOKEN], "r", 1),
        ([STARTED], "r", 2),
        ([TOKEN], "r", 0),
        ([TOKEN], "r", -1),
        ([Started(attempt=0, at=0, worker="w")], "r", 1),
        ([QUEUED], "r", 1),
        ([TOKEN], "", 0),
        ([STARTED], "", 0),
        ([WHOLE], "", 0),
        ([FAILED], "", 1),
        ([RETRYING, FAILED], "", 0),
    ],
)
def test_nonsense_is_refused(events: Sequence[Event], run: str, number: int) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Append(events=events, run=run, number=number)


@pytest.mark.parametrize(
    ("events", "run", "number"),
    [
        ([STARTED, TOKEN, DONE], "r", 1),
        ([TOKEN, RETRYING], "r", 7),
        ([WHOLE, DONE], "r", 1),
        ([WHOLE, TOKEN], "r", 9),
        ([QUEUED], "", 0),
        ([RETRYING], "", 0),
        ([DONE], "", 0),
        ([FAILED], "", 0),
    ],
)
def test_sense_is_not(events: Sequence[Event], run: str, number: int) -> None:
    append = Append(events=events, run=run, number=number)
    assert append.last_number == (number + len(events) - 1 if run else 0)


def test_epochs_differ() -> None:
    assert len({new_epoch() for _ in range(1000)}) == 1000
