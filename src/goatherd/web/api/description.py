"""The API as OpenAPI 3.1: made of its routes, once for each dashboard and place where it is mounted."""

import asyncio
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi

from goatherd.desk.tasks import TaskFacts, tasks
from goatherd.web.api.field_words import add_words
from goatherd.web.api.problems import Problem
from goatherd.web.api.samples import sample_of
from goatherd.web.api.sections import PREFIX, SECTIONS
from goatherd.web.control.sessions import cookie_of
from goatherd.web.dashboard.asking import asked_of, dashboard_of

if TYPE_CHECKING:
    from goatherd.web.dashboard.app import Dashboard

ABOUT = (
    "Everything that the dashboard shows and does, for programs. Send `Authorization: Bearer TOKEN` with one of the "
    "dashboard's tokens: the viewers' may look, the operators' may also act. Whatever is done is in the audit log. "
    "Lists come in pages: give `next` of one as `cursor` to get the next. Errors are `application/problem+json`."
)
#: Tasks for which there is an example.
MOST_EXAMPLES = 20
SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token of the dashboard."},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "description": "Of a browser in which somebody signed in; to act, it also takes the header `X-CSRF-Token`.",
    },
}


_DESCRIPTIONS: WeakKeyDictionary["Dashboard", dict[str, Any]] = WeakKeyDictionary()


async def described(request: Request) -> dict[str, Any]:
    """All of it, with addresses as whoever asks sees them."""
    served = dashboard_of(request)
    if (made := _DESCRIPTIONS.get(served)) is None:
        # It takes most of a second, in which a worker or a gateway of the same process would stand still.
        made = _DESCRIPTIONS[served] = await asyncio.to_thread(_made, served, request.app)
    return {**made, "servers": [{"url": asked_of(request).root or "/"}]}


def _made(served: "Dashboard", api: FastAPI) -> dict[str, Any]:
    made = get_openapi(
        title=f"{served.app.name}: HTTP API of Goatherd",
        version=version("goatherd"),
        openapi_version="3.1.0",
        description=ABOUT,
        routes=api.routes,
        tags=[{"name": section.name, "description": section.about} for section in SECTIONS],
    )
    parts = made.setdefault("components", {})
    cookie = {**SECURITY["cookie"], "name": cookie_of(served.app.name)}
    parts["securitySchemes"] = {**SECURITY, "cookie": cookie}
    parts.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
    add_words(parts["schemas"])
    made["security"] = [{name: []} for name in SECURITY]
    _add_examples(made, tasks(served.app))
    return made


def _add_examples(made: dict[str, Any], found: list[TaskFacts]) -> None:
    """What each task could be sent with."""
    examples = {
        task.name: {"summary": f"{task.name} ({task.kind})", "value": {"arguments": example_of(task)}}
        for task in found[:MOST_EXAMPLES]
    }
    for verb in ("send", "start"):
        operation = made["paths"][f"{PREFIX}/tasks/{{task}}/{verb}"]["post"]
        operation["requestBody"]["content"]["application/json"]["examples"] = examples


def example_of(task: TaskFacts) -> Any:
    """Arguments that fit a task; those that may be left out are."""
    named = task.schema.get("$defs", {})
    return {each.name: sample_of(each.schema, named) for each in task.parameters if each.required}
