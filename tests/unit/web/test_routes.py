"""What is where."""

from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.errors import DefinitionError
from goatherd.testing.suites.event_store import Author, by_platform, queued
from goatherd.web import gateway as make_gateway
from goatherd.web.gateway import Gateway
from tests.unit.web.conftest import Visit
from tests.unit.web.visitor import Visitor


async def asked(gateway: Gateway, path: str, **more: Any) -> Visitor:
    return await Visitor(gateway, path, **more).over()


async def test_a_job_is_found_by_its_path_and_by_its_id(
    visit: Visit, gateway: Gateway, author: Author, token: str
) -> None:
    await visit().told("token_recovery")
    visitor = Visitor(gateway, "/stream", query={"job_id": author.job, "token": token})
    await visitor.told("token_recovery")
    visitor.task.cancel()


@pytest.mark.parametrize(
    "path", ["", "/", "/shop", "/shop/events", "/events", "/shop/j", "/shop/j/events/", "/streams"]
)
async def test_elsewhere_there_is_nothing(gateway: Gateway, path: str) -> None:
    assert (await asked(gateway, path)).status == 404


async def test_a_stream_without_a_job_is_told(gateway: Gateway) -> None:
    assert (await asked(gateway, "/stream")).status == 400


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_streams_can_only_be_read(gateway: Gateway, method: str) -> None:
    visitor = await asked(gateway, "/shop/j/events", method=method)
    assert (visitor.status, visitor.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


async def test_an_unknown_format_is_told(visit: Visit, author: Author) -> None:
    visitor = await visit({"format": "morse"}).over()
    assert (visitor.status, b"native" in visitor.body) == (400, True)


@pytest.mark.parametrize(("root", "path"), [("/api/v1", "/api/v1/shop/{}/events"), ("/api/v1", "/shop/{}/events")])
async def test_it_may_be_mounted_below_another_path(
    gateway: Gateway, author: Author, token: str, root: str, path: str
) -> None:
    visitor = Visitor(gateway, path.format(author.job), root_path=root, query={"token": token})
    await visitor.told("token_recovery")
    visitor.task.cancel()


async def test_an_id_may_have_slashes_and_other_letters(app: Goatherd, gateway: Gateway) -> None:
    for job in ("a/b", "ü 1", "a/events"):
        source = await gateway.place.sources.of(app)
        await by_platform(source.events, job, queued())
        token = app.run(job).stream_token("ada")
        visitor = Visitor(gateway, f"/shop/{job}/events", query={"token": token})
        await visitor.told("token_recovery")
        visitor.task.cancel()


async def test_the_module_for_pages_is_served(gateway: Gateway) -> None:
    visitor = await asked(gateway, "/goatherd.js")
    assert visitor.status == 200
    assert visitor.headers["content-type"] == "text/javascript; charset=utf-8"
    assert b"export" in visitor.body
    again = await asked(gateway, "/goatherd.js", headers={"if-none-match": visitor.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def test_an_app_stands_once_in_a_gateway(app: Goatherd) -> None:
    for apps in ((), (app, Goatherd("shop"))):
        with pytest.raises(DefinitionError):
            make_gateway(*apps)


async def test_the_app_that_is_open_here_is_used_as_it_is(app: Goatherd, author: Author, token: str) -> None:
    async with app:
        gateway = make_gateway(app)
        visitor = Visitor(gateway, f"/shop/{author.job}/events", query={"token": token})
        await visitor.told("token_recovery")
        assert (await app.session().subscriptions()).jobs == 1
        visitor.task.cancel()
        await gateway.close()


async def test_when_the_app_is_closed_its_clients_are_sent_away(app: Goatherd, author: Author, token: str) -> None:
    async with app:
        gateway = make_gateway(app)
        visitor = Visitor(gateway, f"/shop/{author.job}/events", query={"token": token})
        await visitor.told("token_recovery")
    await visitor.over()
    assert visitor.reader.frames[-1].event == "reconnect"
    await gateway.close()


async def test_the_life_of_a_server(app: Goatherd) -> None:
    gateway = make_gateway(app)
    heard: list[str] = []
    words = iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive() -> dict[str, Any]:
        return {"type": next(words)}

    async def send(message: Any) -> None:
        heard.append(message["type"])

    await gateway({"type": "lifespan"}, receive, send)
    assert heard == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_a_server_is_told_what_is_missing(tmp_path: Any) -> None:
    gateway = make_gateway(Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db"))
    heard: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "lifespan.startup"}

    async def send(message: Any) -> None:
        heard.append(message)

    await gateway({"type": "lifespan"}, receive, send)
    assert heard[0]["type"] == "lifespan.startup.failed"
    assert "GOATHERD_SECRET" in heard[0]["message"]
