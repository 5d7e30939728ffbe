import time
import uuid
from itertools import count

import pytest

from goatherd.model.ids import new_id


def test_an_id_is_a_uuid_of_version_7_with_the_time_in_front() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid.UUID(new_id())
    after = time.time_ns() // 1_000_000
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert before <= made.int >> 80 <= after


def test_an_id_is_written_as_uuids_are() -> None:
    made = new_id()
    assert str(uuid.UUID(made)) == made


def test_ids_are_unique() -> None:
    assert len({new_id() for _ in range(20_000)}) == 20_000


def test_later_ids_sort_after_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    milliseconds = count(1_770_000_000_000)
    monkeypatch.setattr("goatherd.model.ids.time.time_ns", lambda: next(milliseconds) * 1_000_000)
    made = [new_id() for _ in range(50)]
    assert made == sorted(made)
