"""Jobs and settlements as columns."""

from goatherd.adapters.postgres.lane_arrays import of_items, of_settlements, without_repeats
from goatherd.model.lane import Commit, GiveUpHead, Hold, LaneItem, Release, Settlement, TryAgain
from goatherd.testing.suites.lane_people import burial

HOLD, OTHER = Hold(lane="a", token=1, seq=2), Hold(lane="b", token=3, seq=4)


def test_what_is_as_usual_is_not_sent() -> None:
    usual = LaneItem(id="1", lane="a", queue="q", content=b"x")
    assert of_items([usual]) == (["1"], ["a"], ["q"], [b"x"], None, None, None, None, None)
    late = LaneItem(id="2", lane="b", queue="q", content=b"y", delay=1.5, limit=3, on_exhausted="skip", named=True)
    assert of_items([usual, late])[4:] == (["hold", "skip"], [None, 3], [0, 1_500_000], None, [False, True])


def test_jobs_that_are_done_need_nothing_but_their_holds() -> None:
    assert of_settlements([]) == (None,) * 8
    assert of_settlements([Commit(hold=HOLD)]) == (["commit"], ["a"], [1], [2], None, None, None, None)


def test_every_settlement_has_its_own_columns() -> None:
    why = burial()
    settled: list[Settlement] = [
        Commit(hold=HOLD), Release(hold=OTHER), TryAgain(hold=HOLD, content=b"z", delay=2.0),
        GiveUpHead(hold=OTHER, burial=why, policy="skip"),
    ]  # fmt: skip
    kinds, *_, contents, delays, burials, policies = of_settlements(settled)
    assert kinds == ["commit", "release", "again", "give_up"]
    assert (contents, delays) == ([None, None, b"z", None], [None, None, 2_000_000, None])
    assert burials is not None
    assert (burials[:3], policies) == ([None] * 3, [None, None, None, "skip"])


def test_a_claim_is_settled_by_the_first_who_says_so() -> None:
    settled: list[Settlement] = [Commit(hold=HOLD), Release(hold=HOLD), Commit(hold=OTHER), Commit(hold=HOLD)]
    assert without_repeats(settled) == ([settled[0], settled[2]], [0, 2])
    assert without_repeats(settled[1:3]) == (settled[1:3], range(2))
