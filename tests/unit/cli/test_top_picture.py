"""What `goatherd top` shows."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from goatherd.cli.top_numbers import cut, rate, short
from goatherd.cli.top_parts import QueueLook, TopLook
from goatherd.cli.top_picture import Order, picture
from goatherd.model.flow import Changes, Flow
from goatherd.model.lane_wait import LaneWait
from goatherd.model.listener import ListenerRow, Standing
from goatherd.model.topology import QueueState
from goatherd.ports.records import WorkerRecord


def queue(name: str, ready: int = 0, oldest: float | None = None, growing: float | None = None) -> QueueLook:
    state = QueueState(
        name=name, ready=ready, delayed=1_234_567, running=None, consumers=12, oldest_age=oldest, dead=7, paused=False
    )
    return QueueLook(state=state, growing=growing, flow=Flow(arriving=1234.5, leaving=0.25))


LOOK = TopLook(
    app="shop",
    broker="amqp://broker/",
    at=1_900_000_000.0,
    queues=[queue("mail", 3, 90.0, 1.5), queue("images", 40_000, 2.0, -12.0), queue("a" * 90, 1)],
    counts_flows=True,
)


def lines(look: TopLook, height: int = 40, order: Order = "name", width: int = 80) -> list[str]:
    return [line.plain for line in picture(look, width=width, height=height, order=order, footer="q quit")]


def test_a_line_for_each_queue_in_80_columns() -> None:
    head, _, headings, long, images, mail, *_ = lines(LOOK)
    assert head.startswith("shop  amqp://broker/")
    assert headings.split() == [
        "queue",
        "ready",
        "±/s",
        "in/s",
        "out/s",
        "running",
        "delayed",
        "takers",
        "oldest",
        "dead",
    ]
    assert images.split() == ["images", "40.0k", "-12", "1234", "0.2", "-", "1.2M", "12", "2s", "7"]
    assert mail.split() == ["mail", "3", "+1.5", "1234", "0.2", "-", "1.2M", "12", "1m30s", "7"]
    assert long.split()[0].endswith("a…")
    assert max(map(len, lines(LOOK))) <= 80


@pytest.mark.parametrize(
    ("order", "first"), [("name", "aaa"), ("ready", "images"), ("oldest", "mail"), ("growing", "mail")]
)
def test_the_order_of_queues(order: Order, first: str) -> None:
    assert lines(LOOK, order=order)[3].startswith(first)


def test_a_broker_that_counts_less_leaves_more_room_for_names() -> None:
    assert "in/s" not in lines(replace(LOOK, counts_flows=False))[2]


@pytest.mark.parametrize(
    ("width", "headings"),
    [
        (60, ["queue", "ready", "±/s", "in/s", "out/s", "takers", "oldest", "dead"]),
        (40, ["queue", "ready", "takers", "oldest", "dead"]),
        (20, ["queue", "ready"]),
    ],
)
def test_a_narrow_terminal_has_fewer_columns(width: int, headings: list[str]) -> None:
    shown = lines(LOOK, width=width)
    assert shown[2].split() == headings
    assert max(map(len, shown[2:])) <= width


def test_what_colours_say_is_said_in_words_as_well() -> None:
    state = queue("mail" * 9).state
    paused, replaced = (
        replace(queue(""), state=each) for each in (replace(state, paused=True), replace(state, replaced=True))
    )
    shown = lines(replace(LOOK, queues=[paused, replaced]))
    assert "… (paused) " in shown[3]
    assert "… (replaced) " in shown[4]
    assert len(shown[3]) == len(shown[4]) == len(shown[2])


def test_names_in_wide_characters_keep_the_columns_in_line() -> None:
    wide, plain = lines(replace(LOOK, queues=[queue("注文" * 20), queue("plain")]))[3:5][::-1]
    assert cell_len(wide) == cell_len(plain) == 80


def test_what_does_not_fit_in_is_told() -> None:
    many = replace(LOOK, queues=[queue(f"queue {number:03}") for number in range(100)])
    shown = lines(many, height=24)
    assert len(shown) == 24
    assert shown[-1] == "q quit"
    assert any(line.startswith("… and ") and line.endswith(" more queues") for line in shown)
    assert len(lines(many, height=4)) == 4


def test_what_cannot_be_seen_is_told_with_its_age() -> None:
    shown = lines(replace(LOOK, troubles={"queues": (12.0, "no answer"), "lanes": (None, "it is\x1b[2J away")}))
    assert shown[1] == "! queues as of 12s ago: no answer"
    assert shown[2].startswith("! lanes not seen yet: it is")
    assert "\x1b" not in shown[2], "nobody else writes on this screen"
    nothing = lines(TopLook(app="shop", broker="", at=0.0, troubles={"queues": (None, "away")}))
    assert "queues: nothing is known" in nothing


def test_workers_listeners_and_lanes() -> None:
    worker = WorkerRecord(id="1", host="box", pid=7, queues=(), started=0.0, silent=9.0)
    ill = Standing(condition="down", since=0.0, why="refused")
    row = ListenerRow(process="box:7", pattern="room-{}", queue="room-1", standing=ill)
    shown = "\n".join(lines(replace(LOOK, workers=[worker], listeners=[row], held_lanes=2)))
    assert "1 worker: box:7 silent 9s" in shown
    assert "1 listener, 1 of them not well\n  room-1 down: refused" in shown
    assert "2 lanes held by a job that failed for good" in shown


def test_lanes_that_wait_for_workers() -> None:
    waits = [LaneWait(queue=f"queue {number}", lanes=number, oldest=60.0 * number) for number in range(8)]
    shown = lines(replace(LOOK, lane_waits=waits, held_lanes=1))
    first = shown.index("queue 7: 7 lanes ready, the oldest for 7m00s")
    assert shown[first + 4] == "queue 3: 3 lanes ready, the oldest for 3m00s"
    assert shown[first + 5] == "… and lanes of 2 more queues"
    assert shown[first + 6].startswith("1 lane held")
    assert not [line for line in lines(replace(LOOK, lane_waits=waits[:1], held_lanes=0)) if "lane" in line]


def test_short_numbers() -> None:
    assert [short(count) for count in (None, 0, 9999, 10_000, 123_456, 1_500_000, 2e9)] == [
        "-", "0", "9999", "10.0k", "123k", "1.5M", "2.0G",
    ]  # fmt: skip
    assert [rate(each, signed=True) for each in (None, 0.0, 0.01, 2.5, -2.5, 1234.0)] == [
        "-", "0", "0", "+2.5", "-2.5", "+1234",
    ]  # fmt: skip
    assert (cut("abc", 3), cut("abcd", 3)) == ("abc", "ab…")


def test_how_fast_counts_change() -> None:
    changes = Changes(window=5.0)
    assert changes.per_second("mail") is None
    changes.look(0.0, {"mail": 100})
    assert changes.per_second("mail") is None, "one look says nothing about a change"
    for second in range(1, 11):
        changes.look(float(second), {"mail": 100 + 10 * second, **({"new": second} if second > 9 else {})})
    assert changes.per_second("mail") == 10.0
    assert changes.per_second("new") is None
    changes.look(10.5, {"mail": 200, "new": 20})
    assert changes.per_second("new") == 20.0
    assert changes.per_second("mail") == pytest.approx(50 / 5.5), "of the last seconds only"
