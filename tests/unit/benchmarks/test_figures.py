import pytest

from benchmarks.figures import gaps, latencies_ms, percentile, share_balance, span_seconds, summarise, times_better

SECOND = 1_000_000_000


@pytest.mark.parametrize(("percent", "expected"), [(50, 2), (99, 4), (100, 4), (1, 1)])
def test_a_percentile_is_one_of_the_values(percent: float, expected: float) -> None:
    assert percentile([4, 1, 3, 2], percent) == expected


def test_there_is_no_percentile_of_nothing() -> None:
    with pytest.raises(ValueError, match="nothing"):
        percentile([], 50)


def test_a_run_spans_from_the_first_start_of_any_worker_to_the_last() -> None:
    early, late = [[1 * SECOND, 5], [2 * SECOND, 5]], [[2 * SECOND, 5], [4 * SECOND, 5]]
    assert span_seconds([late, early]) == 3


def test_latency_leaves_out_the_warm_up() -> None:
    assert latencies_ms([[5_000_000, 0], [9_000_000, 7_000_000]]) == [2.0]


def test_a_worker_that_got_nothing_makes_the_balance_zero() -> None:
    assert share_balance([10, 0, 12]) == 0
    assert share_balance([10, 20]) == 0.5


def test_the_gap_of_a_starved_worker_is_the_whole_run() -> None:
    busy = [[second * SECOND, 1] for second in range(5)]
    assert gaps([busy, []]) == [1, 4]


def test_a_worker_that_ends_early_has_a_gap_at_the_end() -> None:
    busy = [[second * SECOND, 1] for second in range(5)]
    assert gaps([busy, busy[:2]]) == [1, 3]


def test_figures_are_medians_and_latencies_are_pooled() -> None:
    summary = summarise([
        {"drain": 10.0, "latencies": [1.0, 2.0]},
        {"drain": 30.0, "latencies": [9.0]},
        {"drain": 20.0, "shares": [0.5, 0.5]},
    ])  # fmt: skip
    assert summary == {"drain": 20.0, "idle_p50": 2.0, "idle_p99": 9.0}


def test_calls_have_percentiles_of_their_own() -> None:
    assert summarise([{"call_latencies": [1.0, 3.0]}, {"call_latencies": [2.0]}]) == {"call_p50": 2.0, "call_p99": 3.0}


def test_above_one_always_means_that_ours_is_better() -> None:
    assert times_better(500, 100, more_is_better=True) == 5
    assert times_better(2.0, 8.0, more_is_better=False) == 4
    assert times_better(1.0, 0.0, more_is_better=True) == float("inf")
