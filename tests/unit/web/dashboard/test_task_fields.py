"""Arguments of tasks as fields of forms."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
import pytest

from goatherd import Goatherd
from goatherd.desk.tasks import task
from goatherd.web.dashboard.task_fields import TaskField, fields_of, read


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Address:
    street: str


@pytest.fixture
def fields() -> dict[str, TaskField]:
    app = Goatherd("shop")

    @app.task
    async def paint(  # noqa: PLR0917 - one of each kind
        what: str,
        number: Annotated[int, msgspec.Meta(ge=1)],
        colour: Colour,
        where: Address,
        share: float = 0.5,
        really: bool = True,
        size: Literal["small", "large"] | None = None,
        note: str | None = None,
        password: str = "hush",
        tags: list[str] | None = None,
    ) -> None: ...

    return {field.name: field for field in fields_of(task(app, "paint"))}


FILLED = {
    "argument.what": "wall",
    "argument.number": "3",
    "argument.colour": '"red"',
    "argument.where": '{"street": "Elm"}',
    "argument.share": "0.5",
    "argument.really": "on",
}


def test_each_parameter_has_the_field_that_fits_it(fields: dict[str, TaskField]) -> None:
    assert {name: (field.kind, field.required, field.default) for name, field in fields.items()} == {
        "what": ("text", True, ""),
        "number": ("integer", True, ""),
        "colour": ("select", True, ""),
        "where": ("json", True, ""),
        "share": ("number", False, "0.5"),
        "really": ("checkbox", False, "on"),
        "size": ("select", False, ""),
        "note": ("text", False, ""),
        "password": ("secret", False, ""),
        "tags": ("json", False, ""),
    }
    assert fields["colour"].choices == (('"blue"', "blue"), ('"red"', "red"))
    assert fields["number"].hint == "whole number, at least 1"


def test_what_was_left_alone_is_left_out(fields: dict[str, TaskField]) -> None:
    arguments, problems = read(list(fields.values()), FILLED)
    assert (arguments, problems) == (
        {"what": "wall", "number": 3, "colour": "red", "where": {"street": "Elm"}},
        {},
    )


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("what", "", ""),
        ("what", "<b> ", "<b> "),
        ("share", "1e3", 1000.0),
        ("really", "", False),
        ("size", '"large"', "large"),
        ("tags", '["a"]', ["a"]),
        ("note", "x", "x"),
        ("password", "secret", "secret"),
    ],
)
def test_what_was_written_is_an_argument(fields: dict[str, TaskField], name: str, written: str, value: Any) -> None:
    arguments, problems = read(list(fields.values()), FILLED | {f"argument.{name}": written})
    assert (arguments[name], problems) == (value, {})


@pytest.mark.parametrize(
    ("name", "written", "told"),
    [
        ("number", "3.5", "whole number"),
        ("number", "", "whole number"),
        ("share", "much", "a number"),
        ("where", "{", "no JSON"),
        ("colour", "", "no JSON"),
    ],
)
def test_what_cannot_be_read_is_told_at_its_field(
    fields: dict[str, TaskField], name: str, written: str, told: str
) -> None:
    arguments, problems = read(list(fields.values()), FILLED | {f"argument.{name}": written})
    assert told in problems[name]
    assert name not in arguments
