"""Whoever can name things cannot make metrics of any number."""

from goatherd.model.label_limit import MOST_LABELS, OTHER, Limited, limited


def test_what_is_missing_is_made() -> None:
    counts: Limited[str, list[int]] = Limited(list, OTHER)
    counts["mail"].append(1)
    counts["mail"].append(2)
    assert counts == {"mail": [1, 2]}


def test_past_the_limit_all_share_one_entry() -> None:
    counts: Limited[str, list[str]] = Limited(list, OTHER, most=3)
    for name in ("a", "b", "c", "d", "a", "c"):
        counts[name].append(name)
    assert counts == {"a": ["a", "a"], "b": ["b"], OTHER: ["c", "d", "c"]}


def test_one_that_is_called_other_shares_it_too() -> None:
    counts: Limited[str, list[str]] = Limited(list, OTHER, most=2)
    for name in (OTHER, "a", "b"):
        counts[name].append(name)
    assert counts == {OTHER: [OTHER, "a", "b"]}


def test_few_values_stay_as_they_are() -> None:
    values = {f"queue {number}": number for number in range(MOST_LABELS)}
    assert limited(values, int.__add__) == values


def test_of_many_the_first_by_name_are_kept_and_the_others_joined() -> None:
    values = {f"queue {number:04}": 1 for number in reversed(range(MOST_LABELS + 41))}
    found = limited(values, int.__add__)
    assert len(found) == MOST_LABELS
    assert (found["queue 0000"], found[OTHER]) == (1, 42)
    assert f"queue {MOST_LABELS:04}" not in found
