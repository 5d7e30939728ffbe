"""Runs, settlements and decisions as columns."""

from goatherd.adapters.postgres.steps_arrays import Act, of_acts, of_runs, trouble_bytes, trouble_in
from goatherd.model.run_record import (
    AgainLater,
    Arrived,
    FailRun,
    Foresee,
    LeaveOut,
    LetGo,
    NewRun,
    Onward,
    Parcel,
    PassOver,
    PlannedStep,
    Separate,
    Spread,
    StandIn,
    Succeed,
    Trouble,
    UnitHold,
    UnitKey,
)

WHY = Trouble(error_type="ValueError", message="no ü luck", traceback="line\n1", attempts=3)
HOLD, OTHER = UnitHold(key=UnitKey("run", "a"), token=7), UnitHold(key=UnitKey("run", "b", 4), token=8)
THEN, LAST = Onward(then=("b", "c")), Onward(last=True)


def test_steps_are_told_with_the_number_of_their_run_and_what_each_waits_for() -> None:
    steps = [PlannedStep(name="a"), PlannedStep(name="b", after=("a", "a"))]
    runs = [NewRun(id=id, pipeline="film", input=b"1", trace_id="t", delay=1.5, steps=steps) for id in ("x", "y")]
    ids, pipelines, inputs, traces, priorities, delays, *of_steps = of_runs(runs)
    assert (ids, pipelines, inputs, traces) == (["x", "y"], ["film"] * 2, [b"1"] * 2, ["t"] * 2)
    assert (priorities, delays) == ([0, 0], [1_500_000] * 2)
    assert of_steps == [[1, 1, 2, 2], ["a", "b", "a", "b"], [0, 1, 0, 1]]


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    assert of_acts([]) == (None,) * 18
    kinds, runs, steps, items, tokens, results, *rest = of_acts([Succeed(hold=HOLD, result=b"1", onward=LAST)])
    assert (kinds, runs, steps, items, tokens, results) == (["succeed"], ["run"], ["a"], [-1], [7], [b"1"])
    assert rest[:-3] == [None] * 9
    # With the last step the run is done.
    assert rest[-3:] == [["run"], ["a"], [None]]


def test_what_follows_is_said_once_for_a_step() -> None:
    first = UnitHold(key=UnitKey("run", "a", 0), token=1)
    second = UnitHold(key=UnitKey("run", "a", 1), token=2)
    acts: list[Act] = [Succeed(hold=first, result=b"1", onward=THEN), LeaveOut(hold=second, trouble=WHY, onward=THEN)]
    assert of_acts(acts)[-3:] == (["run", "run"], ["a", "a"], ["b", "c"])


def test_every_act_has_its_own_columns() -> None:
    parcels = [Parcel(item=0, size=2, content=b"1,2"), Parcel(item=2, size=1, content=b"3")]
    acts: list[Act] = [
        AgainLater(hold=HOLD, delay=2.0, failures=2), AgainLater(hold=HOLD, delay=-1.0, failures=0, trouble=WHY),
        StandIn(hold=HOLD, trouble=WHY), FailRun(hold=HOLD, trouble=WHY, letter=b"letter"), LetGo(hold=HOLD),
        Separate(hold=OTHER, contents=[b"4", b"5"], trouble=WHY),
        Spread(key=HOLD.key, parcels=parcels, at_once=3, onward=THEN), PassOver(key=HOLD.key, onward=THEN),
        Foresee(key=HOLD.key, trouble=WHY, letter=b"other"), Arrived(key=OTHER.key, result=b"9", onward=LAST),
    ]  # fmt: skip
    kinds, _, _, items, tokens, results, troubles, failures, delays, letters, at_once, *parts = of_acts(acts)
    assert kinds == [
        "again", "again", "stand_in", "fail", "let_go", "separate", "spread", "pass_over", "foresee", "arrived",
    ]  # fmt: skip
    assert items == [-1, -1, -1, -1, -1, 4, -1, -1, -1, 4]
    assert tokens == [7, 7, 7, 7, 7, 8, None, None, None, None]
    assert results == [None] * 9 + [b"9"]
    assert troubles is not None
    assert [trouble_in(each) for each in troubles] == [None, WHY, WHY, WHY, None, WHY, None, None, WHY, None]
    assert failures == [2, 0, 3, 3, None, None, None, None, 3, None]
    assert delays == [2_000_000, 0] + [None] * 8
    assert letters == [None] * 3 + [b"letter"] + [None] * 4 + [b"other", None]
    assert at_once == [None] * 6 + [3] + [None] * 3
    assert parts[:4] == [[6, 6, 7, 7], [4, 5, 0, 2], [1, 1, 2, 1], [b"4", b"5", b"1,2", b"3"]]


def test_trouble_is_kept_as_it_is() -> None:
    assert trouble_in(trouble_bytes(WHY)) == WHY
    assert trouble_in(None) is None
