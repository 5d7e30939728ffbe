"""Whatever a user can name in Python stands in the reference, and the reference names nothing else."""

import inspect
import re
from dataclasses import fields
from typing import Any, get_args

import pytest

import goatherd
import goatherd.sync
import goatherd.testing
import goatherd.web
from goatherd import (
    Alert,
    DeadLetter,
    Event,
    Failure,
    Fence,
    Goatherd,
    Health,
    Inbox,
    Pipeline,
    Retry,
    RetryLater,
    Run,
    Step,
    Tally,
    Task,
    Topology,
)
from goatherd.engine.context import BlockingContext
from goatherd.model.health import QueueHealth
from goatherd.model.task import Declaration
from goatherd.schedules import Schedules
from goatherd.step_options import MapOptions
from goatherd.testing import Herd, JobRecord
from tests.docs.markdown import section
from tests.docs.tables import REFERENCE, read, rows

API = REFERENCE / "api.md"

#: Members of the app that are there for the rest of the package, not for users.
INNER = {"add", "arounds", "contracts", "dead_letter_hooks", "default_retry", "definitions", "format_of", "keywords"}
INNER |= {"lifespans", "meter", "clock", "opener", "queue_named", "session", "settings", "tasks"}
INNER |= {"announced_contracts", "pipeline_definitions", "pipelines", "queue_name", "routers"}
INNER |= {"add_tick", "declared_schedules", "inboxes", "sources", "tallies", "tick_pipelines", "ticks"}
INNER |= {"queue_in_use", "alert_hooks", "sessions", "tracer"}
#: The same of a pipeline.
INNER_OF_PIPELINE = {"definition", "has", "payload", "run_options"}
#: The same of a tally.
INNER_OF_TALLY = {"flush_of", "flushed_by"}
#: The same of a topology.
INNER_OF_TOPOLOGY = {"blueprint", "with_exchange"}


def members(kind: type) -> set[str]:
    """What users see of a class."""
    return {name for name in dir(kind) if not name.startswith("_")}


def parameters(function: Any) -> set[str]:
    return {name for name in inspect.signature(function).parameters if name != "self"}


def names_in(text: str) -> set[str]:
    """The last word of everything that is set as code in a table's first column: `app.queue(name, ...)` is queue."""
    return {re.sub(r"^await |\(.*", "", name).split(".")[-1].lstrip("@") for name in rows(text)}


def test_every_public_name_has_its_section() -> None:
    public = {*goatherd.__all__, *goatherd.sync.__all__, *goatherd.testing.__all__, *goatherd.web.__all__}
    assert set(re.findall(r"^## (\w+)$", read("api.md"), re.MULTILINE)) == public


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("Goatherd", members(Goatherd) - INNER | {"app", "topology"}),
        ("app.task", {field.name for field in fields(Declaration)} - {"function"}),
        ("Failure", {field.name for field in fields(Failure)}),
        ("Alert", {field.name for field in fields(Alert)} | {"to_dict"}),
        ("Fence", {field.name for field in fields(Fence)}),
        ("Context", members(BlockingContext) - {"cancel", "holding", "seen_as", "telling"}),
        ("DeadLetter", {field.name for field in fields(DeadLetter)}),
        ("Health", {field.name for field in fields(Health)} | {"to_dict"}),
        ("Herd", members(Herd) - {"close"}),
        ("JobRecord", {field.name for field in fields(JobRecord)}),
        ("Queue", {"format", "ttl", "max_length", "prefetch", "answers_on", "match", "until"}),
        ("Pipeline", members(Pipeline) - INNER_OF_PIPELINE),
        ("pipeline.step", {*MapOptions.__annotations__, "after", "batch", "over"}),
        ("Run", members(Run)),
        ("Step", members(Step) | {"compensate"}),
        ("app.cron", parameters(Goatherd.cron) - {"expression"} | {"after_end"}),
        ("app.schedules", members(Schedules)),
        ("app.listeners", parameters(Goatherd.listeners) - {"pattern"}),
        ("Tally", members(Tally) - INNER_OF_TALLY),
        ("Inbox", {"on", "name", "source"}),
        ("Topology", members(Topology) - INNER_OF_TOPOLOGY),
    ],
)
def test_every_member_is_described(heading: str, wanted: set[str]) -> None:
    text = section(API, heading).partition("\n### ")[0]
    assert {re.sub(r"^async with |:$", "", name) for name in names_in(text)} == wanted


def test_every_event_is_described() -> None:
    told = rows(section(API, "Event"))
    own = {kind.__name__: {field.name for field in fields(kind)} for kind in get_args(Event)}
    shared = set.intersection(*own.values())
    assert set(told) == shared | set(own)
    assert [(name, field) for name in own for field in own[name] - shared if f"`{field}`" not in told[name][2]] == []


def test_every_option_of_a_job_is_described() -> None:
    verbs = {"send", "call", "start", "job", "options", "task", "name", "app"}
    assert names_in(section(API, "Task")) == parameters(Task.options) | verbs


@pytest.mark.parametrize(
    ("heading", "function"),
    [
        ("Retry", Retry),
        ("RetryLater", RetryLater),
        ("Queue", Goatherd.queue),
        ("Pipeline", Pipeline.options),
        ("app.cron", Goatherd.every),
        ("Tally", Tally.add),
        ("Tally", Tally.flush),
        ("Inbox", Inbox.on),
        ("Inbox", Goatherd.inbox),
        ("Topology", Topology.exchange),
        ("Topology", Topology.bind),
        ("Topology", Topology.policy),
        ("Topology", Topology.load),
    ],
)
def test_every_parameter_is_described(heading: str, function: Any) -> None:
    text = section(API, heading)
    assert [name for name in parameters(function) - {"name"} if not re.search(rf"\b{name}\b", text)] == []


def test_every_fact_about_a_queue_is_described() -> None:
    told = rows(section(API, "Health"))["queues"][1]
    assert [field.name for field in fields(QueueHealth) if f"`{field.name}`" not in told] == []
