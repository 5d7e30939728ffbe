"""Metrics of a threaded program are asked for on another thread than that on which they are counted."""

import sys
import threading
from collections.abc import Iterator

import pytest

from goatherd.engine.meter import Meter
from goatherd.model.label_limit import MOST_LABELS
from goatherd.model.message import Message
from tests.unit.model.samples import work


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_what_is_new_while_somebody_reads_does_no_harm(restless: None) -> None:
    faults: list[Exception] = []
    begun, over = threading.Event(), threading.Event()
    meters = [Meter()]

    def read() -> None:
        while not over.is_set():
            try:
                meters[0].readings()
            except RuntimeError as error:
                faults.append(error)
            begun.set()

    reader = threading.Thread(target=read)
    reader.start()
    try:
        assert begun.wait(20)
        for _ in range(20):
            meter = meters[0] = Meter()
            for number in range(MOST_LABELS):
                task = f"task {number}"
                meter.sent(Message(id="j", queue="mail", body=b"", task=task))
                meter.started("mail", task, work(), 0.1)
                meter.ended("mail", task, work(), "dead", 0.1)
                meter.buried("mail", task, "j", "unknown_task")
    finally:
        over.set()
        reader.join(20)
    assert faults == []
