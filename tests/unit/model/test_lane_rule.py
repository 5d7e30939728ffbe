"""Which lane a job belongs to, and what cannot be a key."""

import functools
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any
from uuid import UUID

import pytest

from goatherd.errors import DefinitionError, InvalidArguments
from goatherd.model.lane import LONGEST_KEY, shown
from goatherd.model.lane_rule import LaneChoice, LaneRule, lane_rule
from goatherd.model.signature import Signature


class Colour(Enum):
    RED = "red"


class TextColour(str, Enum):  # noqa: UP042 - as programs have it that are older than StrEnum
    RED = "red"


class NewColour(StrEnum):
    RED = "red"


class Size(IntEnum):
    LARGE = 3


class OldSize(int, Enum):
    LARGE = 3


class Weight(Enum):
    HEAVY = 1.5


def rule(key: Any = "post", queue: str = "comments", **said: Any) -> LaneRule:
    def comment(post: Any, text: str = "", *, part: int = 2) -> None: ...

    hints = {"post": Any, "text": str, "part": int}
    return lane_rule(LaneChoice(key=key, **said), queue, Signature.of(comment, "comment", 0, hints))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        (-7, "-7"),
        (10**30, str(10**30)),
        ("seven", "seven"),
        ("", ""),
        ("a=b/c", "a=b/c"),
        ("größe 7", "größe 7"),
        (Colour.RED, "red"),
        (TextColour.RED, "red"),
        (NewColour.RED, "red"),
        (Size.LARGE, "3"),
        (OldSize.LARGE, "3"),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (date(2030, 1, 31), "2030-01-31"),
        (datetime(2030, 1, 31, 12, tzinfo=UTC), "2030-01-31T12:00:00Z"),
        (Decimal("1.50"), "1.50"),
    ],
)
def test_a_value_is_a_key(value: object, text: str) -> None:
    assert rule().key_of({"post": value}) == f"comments/post={text}"


@pytest.mark.parametrize("value", [None, True, False, 1.5, Weight.HEAVY, [7], {"id": 7}, (1, 2)])
def test_a_value_that_is_no_key_is_refused_by_its_name(value: object) -> None:
    with pytest.raises(InvalidArguments, match="it is the job's key, so it must be text or a whole number") as raised:
        rule().key_of({"post": value})
    assert set(raised.value.problems) == {"post"}


@pytest.mark.parametrize("value", ["a\0b", "x" * LONGEST_KEY, "ö" * (LONGEST_KEY // 2), "\ud800"])
def test_a_text_that_no_store_could_keep_is_refused(value: str) -> None:
    with pytest.raises(InvalidArguments, match="it is the job's key"):
        rule().key_of({"post": value})


def test_the_longest_key_is_as_long_as_it_says() -> None:
    room = LONGEST_KEY - len("comments/post=")
    assert len(rule().key_of({"post": "x" * room}).encode()) == LONGEST_KEY
    with pytest.raises(InvalidArguments):
        rule().key_of({"post": "x" * (room + 1)})


def test_an_argument_that_is_left_out_has_its_default() -> None:
    assert rule("part").key_of({"post": 1}) == "comments/part=2"
    assert rule("part").key_of({"post": 1, "part": 5}) == "comments/part=5"


def test_a_function_gets_all_arguments() -> None:
    def by_part(post: int, text: str, part: int) -> str:
        return f"{post}.{part}.{text}"

    assert rule(by_part).key_of({"post": 1}) == "comments/key=1.2."


@pytest.mark.parametrize("key", [lambda post, **_: None, lambda post, **_: post / 2])
def test_a_function_that_gives_no_key_is_named(key: Callable[..., Any]) -> None:
    with pytest.raises(InvalidArguments, match="key='<lambda>'"):
        rule(key).key_of({"post": 1})


def test_a_function_without_a_name_works_too() -> None:
    def fixed(post: int, text: str, part: int, *, also: str) -> str:
        return f"{post}{also}"

    assert rule(functools.partial(fixed, also="!")).key_of({"post": 1}) == "comments/key=1!"


def test_what_a_function_raises_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        rule(lambda post, **_: 1 // 0).key_of({"post": 1})


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ({}, "comments/post=7"),
        ({"queue": "a/b"}, "a/b/post=7"),
        ({"lane": "posts"}, "posts=7"),
        ({"lane": "posts", "queue": "likes"}, "posts=7"),
    ],
)
def test_a_lane_has_a_name(said: dict[str, Any], key: str) -> None:
    assert rule(**said).key_of({"post": 7}) == key


def test_tasks_of_one_queue_share_the_lanes_of_an_argument_and_others_do_not() -> None:
    by_post, by_part = rule("post"), rule("part")
    assert by_post.key_of({"post": 7}) == rule("post", on_exhausted="skip").key_of({"post": 7, "text": "x"})
    assert by_post.key_of({"post": 7}) != by_part.key_of({"post": 1, "part": 7})
    assert by_post.key_of({"post": 7}) != rule("post", queue="likes").key_of({"post": 7})
    assert by_post.key_of({"post": 7}) != rule(lambda post, **_: post).key_of({"post": 7})


@pytest.mark.parametrize(
    ("key", "seen"),
    [("comments/post=7", "post=7"), ("a/b/post=7/8=9", "post=7/8=9"), ("posts=7", "posts=7"), ("q/key=a/b", "key=a/b")],
)
def test_people_see_the_last_part_of_a_name(key: str, seen: str) -> None:
    assert shown(key) == seen


def test_an_unknown_argument_is_told_with_those_that_there_are() -> None:
    with pytest.raises(DefinitionError, match=r"has key='posts', but no such argument; it has post, text, part\."):
        rule("posts")


def test_a_queue_whose_name_would_be_taken_for_a_value_is_refused() -> None:
    with pytest.raises(DefinitionError, match="cannot have a = in its name"):
        rule(queue="a=b")
