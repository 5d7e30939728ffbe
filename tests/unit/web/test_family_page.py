"""A parent says how all its children are."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from goatherd.engine.pulse import Pulse
from goatherd.web import family_page
from goatherd.web.family_page import Family, FamilyPage
from goatherd.web.health_answers import liveness, readiness, unready
from goatherd.web.health_server import HealthServer, listen
from goatherd.web.listening import CannotListen
from goatherd.web.responses import Response


def child(alive: Response, ready: Response) -> Any:
    async def answer(path: str) -> Response:
        return alive if path == "/livez" else ready

    return answer


WELL = child(liveness(None), Response(status=200, body=b'{"ready": true, "reasons": []}'))
UNREADY = child(liveness(None), readiness(unready("broker: away"), ["worker"]))
STUCK = child(liveness("the event loop has been stuck for 12 s"), readiness(unready("stuck"), ["worker"]))


async def _never(path: str) -> Response:
    await asyncio.Event().wait()
    raise AssertionError


class Parent:
    """With children on ports that follow one another."""

    def __init__(self) -> None:
        self._life = ExitStack()
        self.page: FamilyPage | None = None

    def have(self, *children: Any) -> None:
        """None is a child that is not there."""
        base = next(base for base in range(20_000, 60_000, 10) if self._begin(base, children))
        self.page = FamilyPage(Family(host="0.0.0.0", port=base, children=len(children)), Pulse(silent_after=1e9))

    def _begin(self, base: int, children: Any) -> bool:
        with ExitStack() as life:
            for number, answer in enumerate(children, 1):
                try:
                    listening = listen("127.0.0.1", base + number)
                except CannotListen:
                    return False
                if answer is None:
                    listening.close()
                    continue
                server = HealthServer(listening, answer)
                server.start()
                life.callback(server.stop)
            self._life = life.pop_all()
        return True

    async def ask(self, path: str) -> tuple[int, dict[str, Any]]:
        assert self.page is not None
        response = await self.page.answer(path)
        return response.status, json.loads(response.body)

    def close(self) -> None:
        self._life.close()


@pytest.fixture
def parent() -> Iterator[Parent]:
    made = Parent()
    yield made
    made.close()


async def test_all_are_well(parent: Parent) -> None:
    parent.have(WELL, WELL)
    assert (await parent.ask("/livez"))[0] == 200
    status, told = await parent.ask("/readyz")
    assert (status, told["ready"], told["reasons"], len(told["processes"])) == (200, True, [], 2)


async def test_one_that_is_not_ready_makes_all_of_them_unready(parent: Parent) -> None:
    parent.have(WELL, UNREADY)
    status, told = await parent.ask("/readyz")
    assert (status, told["ready"], told["reasons"]) == (503, False, ["process 2: broker: away"])
    assert (await parent.ask("/livez"))[0] == 200


async def test_one_that_is_stuck_is_a_reason_to_start_anew(parent: Parent) -> None:
    parent.have(STUCK, WELL)
    status, told = await parent.ask("/livez")
    assert (status, told["alive"]) == (503, False)
    assert told["reasons"] == ["process 1: the event loop has been stuck for 12 s"]


async def test_one_that_is_being_replaced_is_not_ready_and_no_reason_to_start_anew(parent: Parent) -> None:
    parent.have(WELL, None)
    assert (await parent.ask("/livez"))[0] == 200
    status, told = await parent.ask("/readyz")
    assert (status, told["reasons"]) == (503, ["process 2: it is starting, or has ended and will be replaced"])


async def test_one_that_does_not_answer_is_told(parent: Parent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family_page, "PATIENCE", 0.3)
    parent.have(_never)
    for path in ("/livez", "/readyz"):
        status, told = await parent.ask(path)
        assert (status, told["reasons"]) == (503, ["process 1: no answer within 0.3 s"])


async def test_metrics_are_told_by_each_of_them(parent: Parent) -> None:
    parent.have(WELL, WELL)
    assert parent.page is not None
    response = await parent.page.answer("/metrics")
    assert (response.status, b"Each process counts for itself" in response.body) == (404, True)
    assert (await parent.page.answer("/")).status == 404
