"""Pages of other origins."""

import pytest

from goatherd import Goatherd
from goatherd.errors import DefinitionError
from goatherd.testing.suites.event_store import Author
from goatherd.web import gateway as make_gateway
from tests.unit.web.visitor import Visitor

ORIGIN = "https://shop.example"


async def test_a_page_of_a_named_origin_may_read(app: Goatherd, author: Author, token: str) -> None:
    gateway = make_gateway(app, cors=[ORIGIN])
    visitor = Visitor(gateway, f"/shop/{author.job}/events", query={"token": token}, headers={"origin": ORIGIN})
    await visitor.told("token_recovery")
    assert visitor.headers["access-control-allow-origin"] == ORIGIN
    assert visitor.headers["access-control-allow-credentials"] == "true"
    assert visitor.headers["vary"] == "Origin"
    visitor.task.cancel()
    refused = await Visitor(gateway, f"/shop/{author.job}/events", headers={"origin": ORIGIN}).over()
    assert (refused.status, refused.headers["access-control-allow-origin"]) == (401, ORIGIN)
    await gateway.close()


async def test_a_page_of_another_origin_may_not(app: Goatherd, author: Author, token: str) -> None:
    gateway = make_gateway(app, cors=[ORIGIN])
    for origin in ("https://evil.example", "null", f"{ORIGIN}.evil.example", "http://shop.example"):
        headers = {"origin": origin}
        visitor = Visitor(gateway, f"/shop/{author.job}/events", query={"token": token}, headers=headers)
        await visitor.answered()
        assert "access-control-allow-origin" not in visitor.headers
        assert visitor.headers["vary"] == "Origin"
        visitor.task.cancel()
        asked = await Visitor(gateway, "/shop/j/events", method="OPTIONS", headers=headers).over()
        assert asked.status == 403
    await gateway.close()


async def test_a_browser_may_ask_before(app: Goatherd) -> None:
    gateway = make_gateway(app, cors=[ORIGIN])
    headers = {"origin": ORIGIN, "access-control-request-method": "GET"}
    asked = await Visitor(gateway, "/shop/j/events", method="OPTIONS", headers=headers).over()
    assert asked.status == 204
    assert asked.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    assert "Authorization" in asked.headers["access-control-allow-headers"]
    assert asked.headers["access-control-allow-origin"] == ORIGIN


async def test_without_origins_nothing_is_said_about_them(app: Goatherd) -> None:
    gateway = make_gateway(app)
    visitor = await Visitor(gateway, "/shop/j/events", headers={"origin": ORIGIN}).over()
    assert not {name for name in visitor.headers if name.startswith("access-control") or name == "vary"}


@pytest.mark.parametrize("origin", ["*", "https://*.example", "shop.example", "https://shop.example/", "https://a/b"])
def test_an_origin_that_is_none_is_told(app: Goatherd, origin: str) -> None:
    with pytest.raises(DefinitionError, match="exact origins"):
        make_gateway(app, cors=[origin])
