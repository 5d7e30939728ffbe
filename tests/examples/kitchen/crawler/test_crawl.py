"""The limits of a walk."""

import asyncio
from itertools import pairwise

import pytest

from examples.kitchen.crawler.addresses import Addresses
from examples.kitchen.crawler.limits import Limits
from examples.kitchen.crawler.links import NotWeb
from examples.kitchen.crawler.result import Skipped
from tests.examples.kitchen.crawler.stage import NAME, Answer, crawler, links, reply, serving, standing_for


async def test_pages_come_by_depth_and_in_the_order_of_their_links() -> None:
    site: dict[str, Answer] = {
        "/": links("/b", "/a"), "/b": links("/c", "/"), "/a": links("/c", "/d"), "/c": links("/e"), "/d": links(),
    }  # fmt: skip
    async with serving(site) as server:
        result = await crawler().crawl(server.url, depth=2)
        found = [(page.url.removeprefix(server.url), page.depth, page.links) for page in result.pages]
        assert found == [("/", 0, 2), ("/b", 1, 2), ("/a", 1, 2), ("/c", 2, 1), ("/d", 2, 0)]
        assert result.skipped == [Skipped(url=f"{server.url}/e", reason="too deep")]
        assert result.complete


async def test_the_limit_of_pages_holds_and_is_told() -> None:
    site: dict[str, Answer] = {"/": links(*(f"/{number}" for number in range(9)))}
    site |= {f"/{number}": links() for number in range(9)}
    async with serving(site) as server:
        result = await crawler(Limits(pages=4)).crawl(server.url, depth=1)
        assert server.paths.count("/") == 1
        assert sorted(server.paths[1:]) == ["/0", "/1", "/2"]
        assert (result.counts.pages, result.counts.skipped, result.complete) == (4, {"limit": 6}, False)


async def test_no_more_pages_than_allowed_are_read_at_once() -> None:
    now = most = 0

    async def page(writer: asyncio.StreamWriter) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        writer.write(links())
        await writer.drain()
        now -= 1

    site: dict[str, Answer] = {"/": links(*(f"/{number}" for number in range(20)))}
    async with serving({**site, **{f"/{number}": page for number in range(20)}}) as server:
        result = await crawler(Limits(at_once=3)).crawl(server.url, depth=1)
        assert result.counts.pages == 21
        assert most <= 3


async def test_when_the_time_is_over_the_crawl_tells_what_it_has() -> None:
    async def never(writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    site: dict[str, Answer] = {"/": links("/quick", "/slow", "/slower"), "/quick": links("/more")}
    async with serving({**site, "/slow": never, "/slower": never}) as server:
        result = await crawler(Limits(crawl_seconds=1.5, at_once=2)).crawl(server.url, depth=2)
        assert [page.url for page in result.pages] == [f"{server.url}/", f"{server.url}/quick"]
        assert result.counts.skipped == {"time": 3}
        assert not result.complete
        assert 1.5 <= result.seconds < 8


async def test_a_site_s_wish_for_patience_is_granted_up_to_a_limit() -> None:
    site: dict[str, Answer] = {"/": links("/a", "/b"), "/a": links(), "/b": links()}
    async with serving({**site, "/robots.txt": reply("User-agent: *\nCrawl-delay: 3600")}) as server:
        await crawler(Limits(longest_delay=0.1)).crawl(server.url, depth=1)
        times = [request.at for request in server.requests if request.path != "/robots.txt"]
        assert len(times) == 3
        # A clock may tick a little early.
        assert all(later - earlier > 0.09 for earlier, later in pairwise(times))


async def test_a_cancelled_crawl_leaves_nothing_behind() -> None:
    asked = asyncio.Event()

    async def never(writer: asyncio.StreamWriter) -> None:
        asked.set()
        await asyncio.Event().wait()

    async with serving({"/": links("/slow", "/a"), "/slow": never, "/a": links()}) as server:
        before = asyncio.all_tasks()
        crawling = asyncio.create_task(crawler().crawl(server.url, depth=1))
        await asked.wait()
        crawling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await crawling
        ours = {task.get_name() for task in asyncio.all_tasks() - before}
        assert not [name for name in ours if name.startswith("visit")]


@pytest.mark.parametrize("url", ["kitchen", "ftp://kitchen.test/", "http://", "file:///etc/passwd"])
async def test_only_the_web_is_crawled(url: str) -> None:
    with pytest.raises(NotWeb):
        await crawler().crawl(url, depth=1)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://2130706433/", "http://[::1]/", f"http://{NAME}/"])
async def test_a_private_page_is_not_visited(url: str) -> None:
    addresses = Addresses(resolve=standing_for("10.0.0.1"))
    result = await crawler(addresses=addresses).crawl(url, depth=1)
    assert [skipped.reason for skipped in result.skipped] == ["private"]
    assert result.counts.pages == 0


async def test_a_redirect_is_judged_like_a_link() -> None:
    """Within the site, by a name that has turned to a private address."""
    answers = iter([["127.0.0.1"], ["127.0.0.1"], ["169.254.169.254"]])

    async def resolve(host: str) -> list[str]:
        return next(answers)

    async with serving({"/": reply(status=302, location="/admin"), "/admin": links()}) as server:
        addresses = Addresses(allow_private=True, resolve=resolve)
        result = await crawler(addresses=addresses).crawl(f"http://{NAME}:{server.port}", depth=1)
        assert [skipped.reason for skipped in result.skipped] == ["private"]
        assert server.paths == ["/"]


async def test_a_redirect_to_a_page_that_is_known_is_not_followed() -> None:
    site: dict[str, Answer] = {"/": links("/old", "/new"), "/old": reply(status=301, location="/new"), "/new": links()}
    async with serving(site) as server:
        result = await crawler().crawl(server.url, depth=1)
        assert sorted(server.paths) == ["/", "/new", "/old"]
        assert (result.counts.pages, result.counts.redirects) == (2, 1)


async def test_a_result_that_would_be_too_large_is_cut_and_says_so() -> None:
    site: dict[str, Answer] = {"/": links(*(f"/{number}" for number in range(50)))}
    site |= {f"/{number}": links(title="x" * 200) for number in range(50)}
    async with serving(site) as server:
        result = await crawler(Limits(result_bytes=5_000)).crawl(server.url, depth=1)
        assert 0 < len(result.pages) < 51
        assert (result.counts.pages, result.cut) == (51, True)


async def test_no_deeper_than_the_limit_whatever_is_asked_for() -> None:
    async with serving({"/": links("/a"), "/a": links("/b"), "/b": links()}) as server:
        result = await crawler(Limits(depth=1)).crawl(server.url, depth=99)
        assert (result.depth, result.counts.pages) == (1, 2)
