"""What the desk gives can be written as JSON, and described, by whoever serves it."""

import dataclasses
import importlib
import inspect
import pkgutil
from typing import Any

import msgspec
import pydantic
import pytest

from goatherd import desk
from goatherd.desk import lanes, letters, listeners, queues, runs, schedules, tasks
from goatherd.desk.drift import drift
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop

#: What stays behind the desk: with the store's own words in it.
INNER = {"LaneLook", "ScheduleLook", "StepView", "JobLook", "Seen", "Edited", "Coming"}


def facts() -> list[type[Any]]:
    found: dict[str, type[Any]] = {}
    for module in pkgutil.iter_modules(desk.__path__):
        for name, member in inspect.getmembers(
            importlib.import_module(f"goatherd.desk.{module.name}"), inspect.isclass
        ):
            if (
                dataclasses.is_dataclass(member)
                and member.__module__.startswith("goatherd.desk.")
                and name not in INNER
            ):
                found[name] = member
    return list(found.values())


@pytest.mark.parametrize("kind", facts(), ids=lambda kind: kind.__name__)
def test_it_can_be_described(kind: Any) -> None:
    assert kind.__dataclass_params__.frozen
    described = pydantic.TypeAdapter(kind).json_schema()
    assert set(described["properties"]) == {field.name for field in dataclasses.fields(kind)}


async def test_it_can_be_written(shop: Shop, herd: Herd) -> None:
    shop.broken.update(("comment", "ice"))
    await shop.comment.send(7, "first")
    await shop.refuse.send(1)
    await shop.bake.options(id="cake-1").start("cake")
    await herd.advance(3600)
    app = shop.app
    line = (await letters.letters(app)).letters[0]
    told: dict[str, Any] = {
        "queues": await queues.queues(app),
        "schedules": await schedules.schedules(app),
        "listeners": await listeners.listeners(app),
        "lanes": [await lanes.lane(app, "post=7"), *await lanes.lanes(app)],
        "runs": [await runs.run(app, "cake-1"), *await runs.runs(app)],
        "letters": [await letters.letter_groups(app), await letters.letter(app, line.id)],
        "tasks": tasks.tasks(app),
        "drift": await drift(app),
    }
    for name, value in told.items():
        by_pydantic = pydantic.TypeAdapter(Any).dump_json(value)
        assert (
            msgspec.json.decode(by_pydantic).__class__ is msgspec.json.decode(msgspec.json.encode(value)).__class__
        ), name
