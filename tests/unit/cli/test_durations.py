import click
import pytest

from goatherd.cli.durations import Duration, Moment, spoken


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [("90", 90), ("90s", 90), ("1.5", 1.5), ("1h30m", 5400), ("2d", 172800), ("250ms", 0.25), ("1H 5M", 3900)],
)
def test_spans_are_read_as_people_type_them(typed: str, seconds: float) -> None:
    assert Duration().convert(typed, None, None) == seconds


@pytest.mark.parametrize("typed", ["", "soon", "5x", "h", "1h30", "-5", "1d foo", "nan", "inf"])
def test_what_is_no_span_is_refused(typed: str) -> None:
    with pytest.raises(click.BadParameter, match="is no span of time"):
        Duration().convert(typed, None, None)


def test_a_time_without_a_zone_is_here() -> None:
    assert Moment().convert("2030-01-31T09:00", None, None).tzinfo is not None
    assert Moment().convert("2030-01-31T09:00Z", None, None).timestamp() == 1896080400
    with pytest.raises(click.BadParameter, match="is no time"):
        Moment().convert("tomorrow", None, None)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.0002, "under 1ms"),
        (0.25, "250ms"),
        (5, "5s"),
        (59.9, "59s"),
        (61, "1m01s"),
        (5400, "1h30m"),
        (180000, "2d02h"),
    ],
)
def test_spans_are_told_in_two_units_at_most(seconds: float, told: str) -> None:
    assert spoken(seconds) == told
