"""When somebody is told of a condition, told again, and told that it is over."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.alert import Alert, AlertKind
from goatherd.model.alert_board import Board, News, Notice, Outlook, Sighting, joined
from goatherd.model.alert_rules import FORGOTTEN, PATIENCE, Rules, claimed, judged, settled, without_hopeless

RULES = Rules(sinks=("log", "webhook"), every=600.0, quiet=60.0)
HOLD = 60.0
LAG = Sighting(kind="lag", subject="mail", message="3 jobs wait")
EVERYTHING: frozenset[AlertKind] = frozenset({"lag", "drift"})


@dataclass
class Watch:
    """One process that looks and tells."""

    rules: Rules = RULES
    board: Board = field(default_factory=Board)
    now: float = 1_700_000_000.0
    #: What was told to whom and when, in order.
    told: list[tuple[float, str, Alert]] = field(default_factory=list)
    fails: Callable[[str], bool] = lambda _sink: False

    def look(
        self, *sightings: Sighting, after: float = 0.0, kinds: Collection[AlertKind] = EVERYTHING
    ) -> list[tuple[str, Alert]]:
        """Look after so many seconds, and tell; gives what was told."""
        self.now += after
        before = len(self.told)
        outlook = Outlook(sightings=sightings, kinds=frozenset(kinds))
        board, _ = without_hopeless(judged(self.board, outlook, self.now, self.rules), self.now)
        board, errands = claimed(board, self.now, HOLD, self.rules.sinks)
        done: dict[News, set[str]] = {}
        for errand in errands:
            for sink in errand.sinks:
                if not self.fails(sink):
                    self.told.append((self.now, sink, errand.notice.alert))
                    done.setdefault(errand.notice.news, set()).add(sink)
        self.board = settled(board, errands, done, self.now)
        assert Board.read(self.board.written()) == self.board
        return [(sink, alert) for _, sink, alert in self.told[before:]]


def states(told: Collection[tuple[str, Alert]], sink: str = "log") -> list[str]:
    return ["firing" if alert.resolved_at is None else "resolved" for name, alert in told if name == sink]


def test_a_condition_is_told_to_all_once_and_once_more_when_it_is_over() -> None:
    watch = Watch()
    [(first, alert), (second, _)] = watch.look(LAG)
    assert ({first, second}, alert.kind, alert.subject, alert.message) == (
        {"log", "webhook"},
        "lag",
        "mail",
        LAG.message,
    )
    assert [watch.look(LAG, after=15) for _ in range(10)] == [[]] * 10
    assert watch.look(after=30) == []
    told = watch.look(after=60)
    assert states(told) == states(told, "webhook") == ["resolved"]
    assert told[0][1].since == alert.since
    assert watch.board == Board()


def test_what_may_pass_by_itself_has_to_last() -> None:
    watch = Watch()
    brief = Sighting(kind="lag", subject="mail", message="", after=60.0)
    assert watch.look(brief) == watch.look(brief, after=59) == []
    assert states(watch.look(brief, after=1)) == ["firing"]


def test_what_passes_by_itself_is_told_to_nobody() -> None:
    watch = Watch()
    brief = Sighting(kind="lag", subject="mail", message="", after=100.0)
    assert watch.look(brief) == watch.look(after=61) == []
    assert watch.board == Board()


def test_what_has_lasted_before_anybody_looked_counts() -> None:
    watch = Watch()
    [(_, alert), _] = watch.look(Sighting(kind="lag", subject="mail", message="", after=60.0, lasted=300.0))
    assert alert.since.timestamp() == watch.now - 300


def test_a_condition_that_comes_and_goes_is_told_once() -> None:
    watch = Watch()
    assert states(watch.look(LAG)) == ["firing"]
    for _ in range(10):
        assert watch.look(after=25) == watch.look(LAG, after=25) == []


def test_what_lasts_is_told_again_now_and_then_with_the_newest_words() -> None:
    watch = Watch()
    watch.look(LAG)
    for _ in range(39):
        assert watch.look(LAG, after=15) == []
    told = watch.look(Sighting(kind="lag", subject="mail", message="9 jobs wait"), after=15)
    assert [(states(told), told[0][1].message)] == [(["firing"], "9 jobs wait")]


def test_it_need_not_be_told_again() -> None:
    watch = Watch(rules=Rules(sinks=("log",), every=0.0, quiet=60.0))
    assert states(watch.look(LAG)) == ["firing"]
    assert watch.look(LAG, after=10**6) == []


def test_what_cannot_be_looked_at_is_not_over_until_nobody_looks_any_more() -> None:
    watch = Watch()
    watch.look(LAG)
    assert watch.look(after=FORGOTTEN - 1, kinds=["drift"]) == []
    assert states(watch.look(after=1, kinds=["drift"])) == ["resolved"]


def test_a_sink_that_fails_is_told_later_and_others_not_twice() -> None:
    watch = Watch(fails=lambda sink: sink == "webhook")
    assert [sink for sink, _ in watch.look(LAG)] == ["log"]
    assert watch.look(LAG, after=15) == []
    watch.fails = lambda _sink: False
    assert [sink for sink, _ in watch.look(LAG, after=15)] == ["webhook"]
    assert watch.look(LAG, after=15) == []


def test_a_sink_that_was_away_for_all_of_it_hears_of_the_end() -> None:
    watch = Watch(fails=lambda sink: sink == "webhook")
    watch.look(LAG)
    watch.look(after=61)
    watch.fails = lambda _sink: False
    told = watch.look(after=300)
    assert [(sink, alert.resolved_at is None) for sink, alert in told] == [("webhook", False)]


def test_an_end_that_a_sink_has_missed_is_not_told_behind_the_next_beginning() -> None:
    watch = Watch()
    watch.look(LAG)
    watch.fails = lambda sink: sink == "webhook"
    watch.look(after=61)
    watch.fails = lambda _sink: False
    # Before the webhook is tried again, it is there once more.
    watch.look(LAG, after=1)
    watch.look(LAG, after=15)
    assert states([(sink, alert) for _, sink, alert in watch.told], "webhook") == ["firing", "firing"]
    assert states([(sink, alert) for _, sink, alert in watch.told]) == ["firing", "resolved", "firing"]


def test_a_sink_is_given_up_in_the_end() -> None:
    watch = Watch(rules=Rules(sinks=("webhook",), every=0.0, quiet=60.0), fails=lambda _sink: True)
    watch.look(LAG)
    _, hopeless = without_hopeless(watch.board, watch.now + PATIENCE + 1)
    assert [notice.owed for notice in hopeless] == [("webhook",)]
    watch.look(LAG, after=PATIENCE + 1)
    [notice] = watch.board.notices
    assert (notice.owed, notice.told is not None) == ((), True)


def test_of_two_who_look_at_the_same_board_the_second_leaves_it_to_the_first() -> None:
    owed = judged(Board(), Outlook(sightings=(LAG,), kinds=EVERYTHING), 100.0, RULES)
    board, errands = claimed(owed, 100.0, HOLD, RULES.sinks)
    assert [errand.sinks for errand in errands] == [("log", "webhook")]
    assert claimed(board, 100.0 + HOLD - 1, HOLD, RULES.sinks) == (board, [])
    # The first has died.
    _, again = claimed(board, 100.0 + HOLD, HOLD, RULES.sinks)
    assert [errand.sinks for errand in again] == [("log", "webhook")]


def test_one_who_does_not_know_a_sink_leaves_it_to_others() -> None:
    owed = judged(Board(), Outlook(sightings=(LAG,), kinds=EVERYTHING), 100.0, RULES)
    assert claimed(owed, 100.0, HOLD, ["another"]) == (owed, [])


def test_what_ended_while_its_beginning_was_told_is_still_to_be_told() -> None:
    board = judged(Board(), Outlook(sightings=(LAG,), kinds=EVERYTHING), 100.0, RULES)
    board, errands = claimed(board, 100.0, HOLD, RULES.sinks)
    board = judged(board, Outlook(kinds=EVERYTHING), 161.0, RULES)
    all_told = {errand.notice.news: set(RULES.sinks) for errand in errands}
    [notice] = settled(board, errands, all_told, 162.0).notices
    assert (notice.ended, notice.owed) == (161.0, RULES.sinks)


def test_boards_that_grew_apart_are_joined_by_what_was_told_last() -> None:
    def notice(subject: str, told: float | None) -> Notice:
        return Notice(kind="lag", subject=subject, message="", since=0.0, seen=1.0, told=told)

    one = Board((notice("a", 5.0), notice("b", None)))
    other = Board((notice("a", 3.0), notice("b", 4.0), notice("c", None)))
    assert {each.subject: each.told for each in joined(one, other).notices} == {"a": 5.0, "b": 4.0, "c": None}


def test_who_was_told_by_either_board_is_not_told_again() -> None:
    owed = Notice(kind="lag", subject="mail", message="", since=0.0, seen=1.0, told=2.0, owed=("log", "webhook"))
    told = Notice(kind="lag", subject="mail", message="", since=0.0, seen=1.0, told=2.0, owed=("webhook",), tries=1)
    over = Notice(kind="lag", subject="mail", message="", since=0.0, seen=1.0, told=2.0, ended=9.0, owed=("webhook",))
    begun = Notice(kind="lag", subject="mail", message="", since=10.0, seen=10.0)
    for one, other in ((owed, told), (told, owed)):
        assert [each.owed for each in joined(Board((one,)), Board((other,))).notices] == [("webhook",)]
        # Its end, of which one of them knows, is still told; and what began anew is not lost for it.
        assert joined(Board((one,)), Board((over, begun))).notices == (over, begun)
        assert joined(Board((over, begun)), Board((one,))).notices == (over, begun)


@pytest.mark.parametrize("text", [b"", b"nonsense", b'{"notices": [{"kind": "new one"}]}'])
def test_what_is_no_board_is_an_empty_one(text: bytes) -> None:
    assert Board.read(text) == Board()


# --- laws ---------------------------------------------------------------------------------------

subjects = st.sampled_from(["mail", "images", "films"])
looks = st.tuples(st.floats(1, 120), st.sets(subjects), st.booleans(), st.booleans())


@given(st.lists(looks, max_size=60), st.sampled_from([0.0, 30.0, 200.0]))
def test_nobody_is_told_too_often_and_ends_follow_beginnings(
    history: list[tuple[float, set[str], bool, bool]], needed: float
) -> None:
    watch = Watch()
    for after, seen, can_look, webhook_is_away in history:
        sightings = [Sighting(kind="lag", subject=each, message="", after=needed) for each in seen if can_look]
        watch.fails = ("webhook" if webhook_is_away else "nobody").__eq__
        watch.look(*sightings, after=after, kinds=EVERYTHING if can_look else ())
    for subject in ("mail", "images", "films"):
        told = [(at, alert) for at, sink, alert in watch.told if (sink, alert.subject) == ("log", subject)]
        assert not told or told[0][1].resolved_at is None
        for (at, one), (then, following) in pairwise(told):
            if following.resolved_at is not None:
                assert (one.resolved_at, one.since) == (None, following.since)
            elif one.resolved_at is None:
                assert then - at >= RULES.every
        heard = [alert for _, sink, alert in watch.told if (sink, alert.subject) == ("webhook", subject)]
        assert all(one.since <= following.since for one, following in pairwise(heard)), "in order for all"
    assert all(notice.owed == ("webhook",) for notice in watch.board.notices if notice.ended is not None)


@given(st.lists(st.tuples(st.floats(1, 59), st.booleans()), min_size=1, max_size=60), st.floats(0, 300))
def test_what_lasts_is_told_and_what_is_gone_is_told_to_be(history: list[tuple[float, bool]], needed: float) -> None:
    watch = Watch(rules=Rules(sinks=("log",), every=0.0, quiet=60.0))
    lag = Sighting(kind="lag", subject="mail", message="", after=needed)
    for after, seen in history:
        watch.look(*([lag] if seen else []), after=after)
    watch.look(lag, after=1)
    watch.look(lag, after=59)
    for _ in range(10):
        watch.look(lag, after=30)
    assert states([(sink, alert) for _, sink, alert in watch.told])[-1] == "firing"
    assert states(watch.look(after=91)) == ["resolved"]
    assert watch.board == Board()
    said = states([(sink, alert) for _, sink, alert in watch.told])
    assert said == ["firing", "resolved"] * (len(said) // 2)
