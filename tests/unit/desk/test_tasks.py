from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Literal

import pydantic
import pytest

from goatherd import Goatherd
from goatherd.desk import tasks
from goatherd.desk.errors import NotThere
from goatherd.desk.tasks import Submission
from goatherd.errors import InvalidArguments
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Item:
    name: str
    size: Size = Size.SMALL


class Address(pydantic.BaseModel):
    street: str


class Customer(pydantic.BaseModel):
    name: str
    address: Address


def schema_of(app: Goatherd) -> Any:
    return tasks.task(app, "order").schema


def test_arguments_are_a_schema_with_defaults_and_what_is_required() -> None:
    app = Goatherd("shop")

    @app.task
    async def order(items: list[Item], when: datetime | None = None, how: Literal["air", "sea"] = "sea") -> None: ...

    schema = schema_of(app)
    assert (schema["required"], schema["additionalProperties"]) == (["items"], False)
    assert schema["properties"]["items"] == {"type": "array", "items": {"$ref": "#/$defs/Item"}}
    assert schema["properties"]["how"] == {"enum": ["air", "sea"], "default": "sea"}
    assert schema["properties"]["when"]["default"] is None
    assert schema["$defs"]["Size"]["enum"] == ["large", "small"]


def test_a_default_that_is_a_secret_is_not_told() -> None:
    app = Goatherd("shop")

    @app.task
    async def order(token: str = "hush", password: str = "", to: str = "ada") -> None: ...

    found = tasks.task(app, "order")
    assert "hush" not in repr(found)
    assert [(each.name, each.default, each.secret) for each in found.parameters] == [
        ("token", None, True),
        ("password", "", True),
        ("to", "ada", False),
    ]


def test_models_of_pydantic_tell_their_own_schema() -> None:
    app = Goatherd("shop")

    @app.task
    async def order(customer: Customer, others: list[Customer]) -> None: ...

    schema = schema_of(app)
    assert schema["properties"]["customer"]["properties"]["address"] == {"$ref": "#/$defs/Address"}
    assert set(schema["$defs"]) == {"Address"}


def test_what_has_no_schema_takes_any_json() -> None:
    app = Goatherd("shop")

    class Secretive(pydantic.BaseModel):
        @classmethod
        def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
            raise RuntimeError("not told")

    @app.task
    async def order(thing: object, anything: Any, secretive: list[Secretive], odd: Any = object()) -> None: ...  # noqa: B008

    schema = schema_of(app)
    assert schema["properties"]["thing"] == schema["properties"]["secretive"] == {"description": "any JSON"}
    assert schema["properties"]["anything"] == schema["properties"]["odd"] == {}
    assert schema["required"] == ["thing", "anything", "secretive"]


def test_all_that_can_be_sent_is_listed(shop: Shop) -> None:
    found = {each.name: each for each in tasks.tasks(shop.app)}
    kinds = {name: each.kind for name, each in found.items()}
    assert kinds["mail"] == "task"
    assert (kinds["archive"], kinds["join"], kinds["bake"]) == ("schedule", "listener", "pipeline")
    assert (found["mail"].about, found["mail"].queue) == ("Send a letter.", "mail")
    assert [(each.name, each.required, each.secret) for each in found["mail"].parameters] == [
        ("to", True, False),
        ("password", False, True),
    ]
    assert found["comment"].in_order
    assert found["join"].queue == "table-{}"
    assert found["bake"].schema["required"] == [found["bake"].parameters[0].name]


async def test_a_job_is_sent_and_one_is_started(shop: Shop, herd: Herd) -> None:
    shop.broken.add("refuse")
    sent = await tasks.submit(shop.app, Submission(task="refuse", arguments={"customer": 3}))
    assert (sent.queue, sent.tracked) == ("mail", False)
    await herd.drain()
    assert shop.served == [(3, "")]
    started = await tasks.submit(
        shop.app, Submission(task="tell", arguments={"words": 1}, verb="start", id="story", delay=60)
    )
    assert (started.id, started.tracked) == ("story", True)
    await herd.drain()
    assert await shop.app.run("story").status() == "queued"


async def test_listeners_and_pipelines_are_sent_by_name_too(shop: Shop, herd: Herd) -> None:
    sent = await tasks.submit(shop.app, Submission(task="join", arguments={"table": 2, "guest": "Ada"}))
    assert sent.queue == "table-2"
    [parameter] = tasks.task(shop.app, "bake").parameters
    run = await tasks.submit(shop.app, Submission(task="bake", arguments={parameter.name: "cake"}))
    await herd.drain()
    assert await shop.app.run(run.id).result() == "iced cake and iced cake"


@pytest.mark.parametrize(
    ("task", "arguments", "problem"),
    [
        ("mail", {}, "to: missing"),
        ("mail", {"to": 1}, "to: Expected `str`"),
        ("mail", {"to": "a", "self": 1}, "self: not an argument"),
        ("join", {"guest": "Ada"}, "table: missing"),
        ("join", {"table": [], "guest": "Ada"}, "table: "),
        ("bake", {}, "missing"),
        ("bake", {"cake": 1}, "missing|not an argument"),
        ("archive", {"now": True}, "not an argument"),
    ],
)
async def test_wrong_arguments_are_told_by_name(
    shop: Shop, herd: Herd, task: str, arguments: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidArguments, match=problem):
        await tasks.submit(shop.app, Submission(task=task, arguments=arguments))


@pytest.mark.parametrize("options", [{"delay": -1.0}, {"id": ""}, {"id": "a\nb"}, {"priority": 11}])
async def test_wrong_options_are_told(shop: Shop, herd: Herd, options: dict[str, Any]) -> None:
    for task, arguments in (("mail", {"to": "a"}), ("bake", {"input": "cake"})):
        with pytest.raises(InvalidArguments):
            await tasks.submit(shop.app, Submission(task=task, arguments=arguments, **options))


async def test_a_task_that_is_not_there(shop: Shop, herd: Herd) -> None:
    with pytest.raises(NotThere, match="Did you mean 'mail'"):
        tasks.task(shop.app, "maill")
    with pytest.raises(NotThere):
        await tasks.submit(shop.app, Submission(task="maill", arguments={}))
