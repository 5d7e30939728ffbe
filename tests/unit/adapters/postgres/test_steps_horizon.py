"""How far back one looks for what is due."""

from goatherd.adapters.postgres.steps_horizon import ALL, MARGIN, THOROUGH_EVERY, Horizon


def test_the_first_look_is_at_everything_and_so_is_one_now_and_then() -> None:
    horizon = Horizon()
    assert horizon.back(["a"], 100.0) == ALL
    horizon.note(["a"], ALL, 100.0)
    assert horizon.back(["a"], 100.5) == round((0.5 + MARGIN) * 1_000_000)
    horizon.note(["a"], 2_500_000, 104.0)
    assert horizon.back(["a"], 104.9) < ALL
    assert horizon.back(["a"], 100.0 + THOROUGH_EVERY) == ALL


def test_what_was_not_seen_to_the_end_is_looked_at_again() -> None:
    horizon = Horizon()
    horizon.note(["a"], ALL, 100.0)
    # Nothing is noted of a look that found as much as it asked for.
    assert horizon.back(["a"], 103.0) == round((3.0 + MARGIN) * 1_000_000)


def test_each_choice_of_pipelines_has_its_own() -> None:
    horizon = Horizon()
    horizon.note(["a", "b"], ALL, 100.0)
    assert horizon.back(["b", "a"], 101.0) < ALL
    assert horizon.back(["a"], 101.0) == horizon.back(["a", "b", "c"], 101.0) == ALL
