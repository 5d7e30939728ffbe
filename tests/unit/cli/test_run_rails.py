"""Whoever follows the lines of a drawing finds the very edges that were to be drawn."""

from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.cli.run_rails import BOXES, DOWN, LEFT, PLAIN, RIGHT, UP, Row, beneath, rails, width_of

ARMS = {glyph: arms for arms, glyph in BOXES.items()}
NODE = "●"


@st.composite
def graphs(draw: st.DrawFn, most: int = 14) -> dict[str, list[str]]:
    """What each step comes after, in any order."""
    count = draw(st.integers(1, most))
    before = {
        f"s{number}": [f"s{one}" for one in draw(st.sets(st.integers(0, number - 1), max_size=5))] if number else []
        for number in range(count)
    }
    return {step: before[step] for step in draw(st.permutations(list(before)))}


def drawn(rows: Sequence[Row]) -> list[str]:
    width = width_of(rows)
    return [row.drawn(BOXES, NODE).ljust(width) for row in rows]


def edges(rows: Sequence[Row]) -> set[tuple[str, str]]:
    """Found as the eye finds them: from each node up, along the line, and up the rails that are joined to it."""
    lines = drawn(rows)
    nodes = {(place, 2 * row.column): row.step for place, row in enumerate(rows) if row.step is not None}
    found = set()
    for (place, column), step in nodes.items():
        if place and ARMS[lines[place - 1][column]] & DOWN:
            found |= {(nodes[_climbed(lines, place - 1, at)], step) for at in _joined(lines[place - 1], column)}
    return found


def _joined(line: str, column: int) -> Iterator[int]:
    """Columns of rails that come from above into the line through this column."""
    if ARMS[line[column]] & UP:
        yield column
    for side, back, step in ((LEFT, RIGHT, -1), (RIGHT, LEFT, 1)):
        at = column
        while ARMS[line[at]] & side:
            at += step
            while not ARMS[line[at]] & back:
                assert line[at] == "│", f"the line ends at {at}: {line}"
                at += step
            if ARMS[line[at]] & UP:
                yield at


def _climbed(lines: Sequence[str], place: int, column: int) -> tuple[int, int]:
    while lines[place][column] != NODE:
        arms = ARMS[lines[place][column]]
        assert arms & UP, f"a rail begins out of nowhere in line {place}: {lines[place]}"
        place -= 1
        assert lines[place][column] == NODE or ARMS[lines[place][column]] & DOWN
    return place, column


@given(graphs())
def test_every_edge_is_drawn_and_no_other(before: Mapping[str, list[str]]) -> None:
    assert edges(rails(before)) == {(one, step) for step, named in before.items() for one in named}


@given(graphs())
def test_every_step_is_drawn_once_and_after_those_before_it(before: Mapping[str, list[str]]) -> None:
    order = [row.step for row in rails(before) if row.step is not None]
    assert sorted(order) == sorted(before)
    assert all(order.index(one) < order.index(step) for step, named in before.items() for one in named)


@given(graphs())
def test_plain_characters_stand_where_the_others_do(before: Mapping[str, list[str]]) -> None:
    for row in rails(before):
        plain, boxes = row.drawn(PLAIN, "*"), row.drawn(BOXES, NODE)
        assert plain.isascii()
        assert [character == " " for character in plain] == [character == " " for character in boxes]


@given(graphs())
def test_text_under_a_node_does_not_break_a_line(before: Mapping[str, list[str]]) -> None:
    rows = rails(before)
    spaced = [part for place, row in enumerate(rows) for part in _with_text(rows, place, row)]
    assert edges(spaced) == edges(rows)


@given(graphs())
def test_a_rail_ends_where_nothing_more_comes_after_its_step(before: Mapping[str, list[str]]) -> None:
    rows, left = rails(before), set(before)
    for place, row in enumerate(rows):
        if row.step is not None:
            left.remove(row.step)
            awaited = {one for step in left for one in before[step]} - left
            assert sum(map(bool, beneath(rows, place).arms)) == len(awaited)


def _with_text(rows: Sequence[Row], place: int, row: Row) -> list[Row]:
    return [row] if row.step is None else [row, beneath(rows, place), beneath(rows, place)]


def test_a_drawing() -> None:
    before = {
        "extract": [],
        "asr": ["extract"],
        "translate": ["asr"],
        "subtitles": ["asr", "not drawn"],
        "poster": ["extract"],
        "mux": ["translate", "subtitles", "poster", "translate"],
    }
    lines = [f"{row.drawn(BOXES, NODE).ljust(6)}{row.step or ''}".rstrip() for row in rails(before)]
    assert lines == [
        "●     extract",
        "├─╮",
        "│ ●   asr",
        "│ ├─╮",
        "│ │ ● translate",
        "│ │ │",
        "│ ● │ subtitles",
        "│ │ │",
        "● │ │ poster",
        "├─┴─╯",
        "●     mux",
    ]


def test_a_rail_that_only_crosses_a_line_interrupts_it() -> None:
    before: dict[str, list[str]] = {"a": [], "b": ["a"], "c": ["a"], "d": ["a", "b", "c"]}
    lines = [row.drawn(BOXES, NODE) for row in rails(before)]
    assert lines == ["●", "├─╮", "│ ●", "├─│─╮", "│ │ ●", "├─┴─╯", "●    "]
    assert [row.drawn(PLAIN, "*") for row in rails(before)][3] == "+-|-+"


def test_nothing_is_drawn_in_a_circle() -> None:
    with pytest.raises(ValueError, match="in a circle: a, b"):
        rails({"a": ["b"], "b": ["a"]})
