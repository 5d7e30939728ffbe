"""Robots are told what they may do, by RFC 9309."""

import asyncio

import pytest

from examples.kitchen.crawler.addresses import Addresses
from examples.kitchen.crawler.links import parse
from examples.kitchen.crawler.robots import KEPT, KEPT_UNREACHABLE, Robots, Rules
from examples.kitchen.crawler.web import open_web
from tests.examples.kitchen.crawler.stage import AGENT, Answer, Server, reply, serving

DENY = reply("User-agent: *\nDisallow: /", content_type="text/plain")


async def rules_of(site: Server, robots: Robots | None = None) -> Rules:
    async with open_web(Addresses(allow_private=True), AGENT) as web:
        return await (robots or Robots(AGENT)).rules_for(parse(f"{site.url}/soup"), web)


async def allowed(answers: dict[str, Answer], path: str = "/soup", seconds: float = 10.0) -> bool:
    async with serving(answers) as site:
        rules = await rules_of(site, Robots(AGENT, seconds=seconds))
        return rules.allow(parse(site.url + path))


@pytest.mark.parametrize(
    ("path", "expected"), [("/soup", True), ("/cellar/wine", False), ("/cellar/", False), ("/cellar/open", True)]
)
async def test_rules_hold_for_paths(path: str, expected: bool) -> None:
    text = "User-agent: *\nDisallow: /cellar/\nAllow: /cellar/open\n"
    assert await allowed({"/robots.txt": reply(text)}, path) is expected


@pytest.mark.parametrize(("agent", "expected"), [("kitchencrawler", False), ("*", False), ("OtherCrawler", True)])
async def test_we_are_named_by_the_first_word_of_our_user_agent(agent: str, expected: bool) -> None:
    assert await allowed({"/robots.txt": reply(f"User-agent: {agent}\nDisallow: /")}) is expected


async def test_rules_for_us_win_over_those_for_all() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: KitchenCrawler\nDisallow: /cellar"
    assert await allowed({"/robots.txt": reply(text)})


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 429])
async def test_no_rules_means_no_limits(status: int) -> None:
    assert await allowed({"/robots.txt": reply("Disallow: /", status=status)})


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_rules_out_of_reach_forbid_everything(status: int) -> None:
    async with serving({"/robots.txt": reply(status=status)}) as site:
        rules = await rules_of(site)
        assert not rules.allow(parse(site.url))
        assert f"status {status}" in rules.unreachable


async def test_a_site_that_does_not_answer_forbids_everything() -> None:
    async def never(writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async def hang_up(writer: asyncio.StreamWriter) -> None:
        return None

    assert not await allowed({"/robots.txt": never}, seconds=0.1)
    assert not await allowed({"/robots.txt": hang_up})


async def test_five_redirects_are_followed() -> None:
    chain: dict[str, Answer] = {f"/{number}": reply(status=302, location=f"/{number + 1}") for number in range(1, 5)}
    first = reply(status=301, location="/1")
    assert not await allowed({"/robots.txt": first, **chain, "/5": DENY})
    assert await allowed({"/robots.txt": first, **chain, "/5": reply(status=302, location="/6"), "/6": DENY})


@pytest.mark.parametrize("target", ["http://169.254.169.254/robots.txt", "ftp://kitchen.test/robots.txt"])
async def test_a_redirect_to_nowhere_means_no_rules(target: str) -> None:
    assert await allowed({"/robots.txt": reply(status=302, location=target)})


async def test_a_site_is_asked_once_for_all_pages_that_come_together() -> None:
    robots = Robots(AGENT)
    async with serving({"/robots.txt": DENY}) as site, open_web(Addresses(allow_private=True), AGENT) as web:
        await asyncio.gather(*(robots.rules_for(parse(f"{site.url}/{number}"), web) for number in range(10)))
        assert len(site.requests) == 1


@pytest.mark.parametrize(("answer", "kept"), [(DENY, KEPT), (reply(status=503), KEPT_UNREACHABLE)])
async def test_rules_are_read_anew_after_a_while(answer: bytes, kept: float) -> None:
    now = 1000.0
    robots = Robots(AGENT, clock=lambda: now)
    async with serving({"/robots.txt": answer}) as site:
        await rules_of(site, robots)
        now += kept - 1
        await rules_of(site, robots)
        assert len(site.requests) == 1
        now += 1
        await rules_of(site, robots)
        assert len(site.requests) == 2


async def test_one_who_gives_up_does_not_take_the_rules_from_the_others() -> None:
    asked, answer_now = asyncio.Event(), asyncio.Event()

    async def late(writer: asyncio.StreamWriter) -> None:
        asked.set()
        await answer_now.wait()
        writer.write(DENY)
        await writer.drain()

    robots = Robots(AGENT)
    async with serving({"/robots.txt": late}) as site, open_web(Addresses(allow_private=True), AGENT) as web:
        url = parse(site.url)
        first, second = (asyncio.create_task(robots.rules_for(url, web)) for _ in range(2))
        await asked.wait()
        first.cancel()
        answer_now.set()
        assert not (await second).allow(url)


@pytest.mark.parametrize(
    ("line", "delay"), [("Crawl-delay: 1.5", 1.5), ("", 0.0), ("Crawl-delay: -3", 0.0), ("Crawl-delay: often", 0.0)]
)
def test_a_site_may_ask_for_patience(line: str, delay: float) -> None:
    assert Rules("KitchenCrawler", f"User-agent: *\n{line}\nDisallow: /x").delay == delay
