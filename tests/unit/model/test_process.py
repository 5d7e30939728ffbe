from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.process import (
    BUCKET,
    KEPT,
    MOST_SLICES,
    NOTHING,
    STREAMS,
    Counted,
    ProcessReport,
    ProcessState,
    slices_of,
)

STATE = ProcessState(id="a", host="barn", pid=7, roles=("worker",), version="1", started=0.0)
COUNTS = st.builds(Counted, sent=st.integers(0, 10_000), done=st.integers(0, 10_000), dead=st.integers(0, 3))


def test_counts_are_added_and_taken_away() -> None:
    one, two = Counted(sent=1, done=2), Counted(done=1, dead=4)
    assert one + two == Counted(sent=1, done=3, dead=4)
    assert one + two - two == one
    assert one
    assert not NOTHING


def test_what_was_counted_in_a_moment_is_of_this_bucket() -> None:
    report = ProcessReport(state=STATE, number=1, counted={"b": Counted(done=3), "a": Counted(sent=1)}, seconds=9.9)
    assert [(each.ago, each.name) for each in slices_of(report)] == [(0, "a"), (0, "b")]


def test_what_is_nothing_takes_no_room() -> None:
    assert list(slices_of(ProcessReport(state=STATE, number=1, counted={"a": NOTHING}, seconds=500.0))) == []


@given(
    counted=st.dictionaries(st.sampled_from("abc"), COUNTS),
    events=st.integers(0, 10_000),
    seconds=st.floats(0, 10 * KEPT),
)
def test_nothing_is_lost_and_no_part_is_larger_than_another(
    counted: dict[str, Counted], events: int, seconds: float
) -> None:
    slices = list(slices_of(
        ProcessReport(state=STATE, number=1, counted=counted, stream_events=events, seconds=seconds)
    ))  # fmt: skip
    for name, count in counted.items():
        parts = [each.counted for each in slices if each.name == name]
        assert sum(parts, NOTHING) == count
        assert max((each.done for each in parts), default=0) * MOST_SLICES <= count.done * MOST_SLICES
    assert sum(each.stream_events for each in slices) == events
    assert {each.name for each in slices} <= {*counted, STREAMS}
    assert all(0 <= each.ago < max(1, min(seconds, KEPT) / BUCKET) for each in slices)
    assert len({each.ago for each in slices}) <= MOST_SLICES
