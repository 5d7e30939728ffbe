"""Connections are made to judged addresses only."""

import ssl

import httpx2
import pytest
import trustme

from examples.kitchen.crawler import transport
from examples.kitchen.crawler.addresses import Addresses, AddressRefused
from examples.kitchen.crawler.links import parse
from examples.kitchen.crawler.pages import is_html
from examples.kitchen.crawler.web import open_web
from tests.examples.kitchen.crawler.stage import AGENT, NAME, links, serving, standing_for


async def test_a_name_is_looked_up_once_and_stays_the_host() -> None:
    looked_up: list[str] = []

    async def resolve(host: str) -> list[str]:
        looked_up.append(host)
        return ["127.0.0.1"]

    async with (
        serving({"/soup": links()}) as site,
        open_web(Addresses(allow_private=True, resolve=resolve), AGENT) as web,
    ):
        answer = await web.get(parse(f"http://{NAME}:{site.port}/soup"), 1000, is_html)
        assert answer.status == 200
        assert looked_up == [NAME]
        [request] = site.requests
        assert request.headers["host"] == f"{NAME}:{site.port}"
        assert request.headers["user-agent"] == AGENT


async def test_a_name_that_turns_to_a_private_address_is_refused_from_then_on() -> None:
    answers = [["127.0.0.1"], ["169.254.169.254"]]

    async def resolve(host: str) -> list[str]:
        return answers.pop(0)

    async with (
        serving({"/": links()}) as site,
        open_web(Addresses(allow_private=True, resolve=resolve), AGENT) as web,
    ):
        url = parse(f"http://{NAME}:{site.port}/")
        assert (await web.get(url, 1000, is_html)).status == 200
        with pytest.raises(AddressRefused):
            await web.get(url, 1000, is_html)
        assert site.paths == ["/"]


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    # Nobody listens on the first: the server has bound 127.0.0.1 alone.
    addresses = Addresses(allow_private=True, resolve=standing_for("127.0.0.2", "127.0.0.1"))
    async with serving({"/": links()}) as site, open_web(addresses, AGENT) as web:
        assert (await web.get(parse(f"http://{NAME}:{site.port}/"), 1000, is_html)).status == 200


async def test_when_no_address_answers_the_last_error_is_told() -> None:
    addresses = Addresses(allow_private=True, resolve=standing_for("127.0.0.2", "127.0.0.3"))
    async with serving({}) as site, open_web(addresses, AGENT) as web:
        with pytest.raises(httpx2.ConnectError):
            await web.get(parse(f"http://{NAME}:{site.port}/"), 1000, is_html)


@pytest.mark.parametrize(("name", "trusted"), [(NAME, True), ("other.test", False)])
async def test_a_certificate_must_bear_the_host_s_name(
    monkeypatch: pytest.MonkeyPatch, name: str, trusted: bool
) -> None:
    authority = trustme.CA()
    tls, trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert(NAME).configure_cert(tls)
    authority.configure_trust(trusting)
    monkeypatch.setattr(transport, "_trusted", lambda: trusting)
    addresses = Addresses(allow_private=True, resolve=standing_for("127.0.0.1", name=name))

    async with serving({"/": links()}, tls) as site, open_web(addresses, AGENT) as web:
        url = parse(f"https://{name}:{site.port}/")
        if trusted:
            assert (await web.get(url, 1000, is_html)).status == 200
        else:
            with pytest.raises(httpx2.ConnectError, match="certificate verify failed"):
                await web.get(url, 1000, is_html)


async def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    async with serving({"/": links()}) as site, open_web(Addresses(allow_private=True), AGENT) as web:
        assert (await web.get(parse(site.url), 1000, is_html)).status == 200
