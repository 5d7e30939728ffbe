"""Whatever is asked, within the description or not: no fault, and answers as they are described."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.python.asgi import shutdown_lifespans
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from goatherd.web.dashboard.app import Dashboard
from tests.unit.desk.shop import make_shop
from tests.unit.web.dashboard.callers import OPERATOR, Caller, dashboard_of

CHECKS: list[Any] = [
    not_a_server_error,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
]
AS_OPERATOR = {"Authorization": f"Bearer {OPERATOR}"}
#: Its streams last as long as jobs do; see test_api_jobs.
LASTING = "watch_job"


@pytest.fixture
def known(tmp_path: Path) -> Iterator[tuple[Dashboard, dict[str, list[str]]]]:
    """The dashboard of an app on a file, and names that are known there, by the first part of a path."""
    shop = make_shop(broker_url=f"sqlite:///{tmp_path}/shop.db", dashboard_token=OPERATOR)
    names: dict[str, list[str]] = {
        "tasks": ["mail", "tell", "bake", "join", "archive"], "queues": ["mail"], "schedules": ["archive"],
        "lanes": ["comments/post=7"],
    }  # fmt: skip

    async def fill() -> None:
        shop.broken.add("comment")
        async with shop.app.serve("worker", "scheduler"):
            names["jobs"] = [(await shop.tell.start(1)).id]
            names["runs"] = [(await shop.bake.start("cake")).id]
            await shop.comment.send(7)
            names["dead-letters"] = [await shop.refuse.send(number) for number in range(3)]
            letters = shop.app.session().ports.dead_letters
            async with asyncio.timeout(60):
                await shop.app.run(names["jobs"][0]).result()
                await shop.app.run(names["runs"][0]).result()
                while await letters.count() < 3:
                    await asyncio.sleep(0.02)

    asyncio.run(fill())
    try:
        yield dashboard_of(shop.app), names
    finally:
        shutdown_lifespans()


async def description_of(served: Dashboard) -> dict[str, Any]:
    told: dict[str, Any] = (await Caller(served, headers=AS_OPERATOR).get("/api/openapi.json")).json()
    await served.close()
    return told


def cases_of(schema: Any, names: dict[str, list[str]], examples: int) -> list[Any]:
    """So many requests of each operation that fit the description, and as many that do not.

    They are made before the app begins: it takes numbers at random on a thread of its own, and while it does, the same
    cases could not be made a second time.
    """
    limits = settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    cases: list[Any] = []
    for operation in (each.ok() for each in schema.get_all_operations()):
        if operation.definition.raw["operationId"] == LASTING:
            continue
        there = names.get(operation.path.split("/")[2], [])
        for mode in GenerationMode:

            @limits
            @given(case=operation.as_strategy(generation_mode=mode), name=st.sampled_from([*there, None]))
            def keep(case: Any, name: str | None) -> None:
                if name is not None and case.meta.generation.mode is GenerationMode.POSITIVE:
                    case.path_parameters = dict.fromkeys(case.path_parameters or {}, name)
                cases.append(case)

            keep()
    return cases


def ask_all(served: Dashboard, names: dict[str, list[str]], examples: int) -> int:
    """Ask every operation so often; how many requests there were."""
    schema = schemathesis.openapi.from_dict(asyncio.run(description_of(served)))
    cases = cases_of(schema, names, examples)
    schema.app = served
    for case in cases:
        case.call_and_validate(headers=AS_OPERATOR, checks=CHECKS, app=served)
    return len(cases)


@pytest.mark.timeout(300)
def test_no_request_is_a_fault(known: tuple[Dashboard, dict[str, list[str]]]) -> None:
    assert ask_all(*known, examples=3) > 250


@pytest.mark.chaos
@pytest.mark.timeout(3600)
def test_no_request_is_a_fault_for_long(known: tuple[Dashboard, dict[str, list[str]]]) -> None:
    ask_all(*known, examples=200)
