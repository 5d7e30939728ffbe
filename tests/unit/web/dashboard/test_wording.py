"""Numbers and times in words."""

from datetime import UTC, datetime, timedelta

import pytest

from goatherd.web.dashboard import wording
from goatherd.web.dashboard.charts import area, bars, line, nice_top

UNKNOWN = wording.UNKNOWN
NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, UNKNOWN), (0, "0 ms"), (0.0123, "12 ms"), (1.25, "1.2 s"), (12.4, "12 s"), (59.6, "1 min"),
     (185, "3 min 5 s"), (7200, "2 h"), (7260, "2 h 1 min"), (86400 * 4 + 3600, "4 d 1 h")],
)  # fmt: skip
def test_lengths_of_time(value: float | None, told: str) -> None:
    assert wording.seconds(value) == told


@pytest.mark.parametrize(
    ("apart", "told"), [(0.2, "now"), (3, "3 s ago"), (75, "1 min 15 s ago"), (-30, "in 30 s"), (None, UNKNOWN)]
)
def test_how_long_ago(apart: float | None, told: str) -> None:
    assert wording.since(None if apart is None else NOW - timedelta(seconds=apart), NOW) == told
    if apart is not None:
        assert wording.since(NOW.timestamp() - apart, NOW) == told


@pytest.mark.parametrize(
    ("value", "told"), [(None, UNKNOWN), (999, "999"), (9_999, "9\u202f999"), (12_345, "12.3k"), (3_400_000, "3.4M")]
)
def test_short_numbers(value: float | None, told: str) -> None:
    assert wording.short_number(value) == told


@pytest.mark.parametrize(("value", "told"), [(0, "0"), (0.01, "<0.1"), (0.44, "0.4"), (12.6, "13"), (None, UNKNOWN)])
def test_rates(value: float | None, told: str) -> None:
    assert wording.rate(value) == told


def test_sizes_and_moments() -> None:
    sizes = [wording.size(value).replace("\N{NO-BREAK SPACE}", " ") for value in (5, 1500, 123_456_789, 2e12)]
    assert sizes == ["5 B", "1.5 kB", "123 MB", "2.0 TB"]
    assert (wording.clock_time(NOW), wording.clock_time(None)) == ("2030-01-01 00:00:00 UTC", UNKNOWN)
    assert wording.machine_time(NOW) == "2030-01-01T00:00:00.000+00:00"
    assert wording.pretty(b'{"a": "\xc3\xa9"}') == '{\n  "a": "é"\n}'
    assert wording.pretty("not JSON") == "not JSON"
    assert wording.pretty(b"\xff") == "\\xff"


def test_drawings_of_nothing_are_empty() -> None:
    assert (line([], 10, 10), area([], 10, 10), bars([], 10, 10)) == ("", "", [])
    assert line([None, 1, None, 2], 30, 12).count("M") == 2
    assert [nice_top(values) for values in ([], [0], [0.3], [7], [11], [95])] == [1.0, 1.0, 0.3, 8, 15, 100]
