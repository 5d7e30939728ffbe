"""Jobs of lanes on their way to Redis: what is said of them, and how they are shared out."""

from typing import Any

import pytest

from goatherd.adapters.redis import lanes
from goatherd.adapters.redis.lane_jobs import terms_of
from goatherd.adapters.redis.lane_names import LaneNames
from goatherd.model.lane import LaneItem


def item(**properties: Any) -> LaneItem:
    return LaneItem(**{"id": "j", "lane": "mail/to=7", "queue": "mail", "content": b"0123456789", **properties})


@pytest.mark.parametrize(
    ("properties", "terms"),
    [
        ({}, ""),
        ({"limit": 5}, "5 0 0 0"),
        ({"delay": 1.5}, "-1 1500000 0 0"),
        ({"delay": 0.1, "keep_place": True, "named": True}, "-1 100000 1 1"),
        ({"delay": 1e9}, "-1 1000000000000000 0 0"),
    ],
)
def test_most_jobs_need_no_look(properties: dict[str, Any], terms: str) -> None:
    assert terms_of(item(**properties), is_full=False) == terms


def test_a_lane_that_was_full_has_no_room() -> None:
    assert terms_of(item(), is_full=True) == "0 0 0 0"


def test_a_call_is_parted_by_number_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "MOST_AT_ONCE", 3)
    monkeypatch.setattr(lanes, "LARGEST_AT_ONCE", 25)
    small, large = item(content=b""), item(content=bytes(100))
    parts = lanes._in_parts([small] * 7 + [item()] * 3 + [large, small])
    assert [len(part) for part in parts] == [3, 3, 3, 1, 1, 1]
    assert list(lanes._in_parts([])) == []


def test_all_names_of_an_app_are_of_one_slot() -> None:
    names = LaneNames("shop")
    every = [*names.all, names.sender("s", 2), names.worker("w"), names.order("o"), names.known("}{"), names.channel]
    assert all(name.startswith("{shop}:lanes:1:") for name in every)
    assert len(set(every)) == len(every)
