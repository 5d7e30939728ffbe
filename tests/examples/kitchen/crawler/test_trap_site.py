"""A site of 200 pages with traps."""

from collections.abc import Iterator

import msgspec
import pytest

from examples.kitchen.crawler.limits import Limits
from examples.kitchen.trap_site import TrapSite
from examples.kitchen.trap_site.pages import good_pages
from tests.examples.kitchen.crawler.stage import crawler

#: Long enough for any page that does answer.
LIMITS = Limits(page_seconds=3.0)


@pytest.fixture
def site() -> Iterator[TrapSite]:
    with TrapSite() as opened:
        yield opened


def test_the_site_has_200_good_pages() -> None:
    assert len(good_pages()) == 200


async def test_a_crawl_finds_every_page_and_falls_into_no_trap(site: TrapSite) -> None:
    result = await crawler(LIMITS).crawl(site.url, depth=4)

    assert site.expected(4, LIMITS).differences(msgspec.to_builtins(result)) == []
    assert {f"{site.url}{path}" for path in good_pages()} <= {page.url for page in result.pages}
    assert (result.counts.pages, result.counts.recipes, result.counts.failed) == (217, 189, 10)
    assert (result.complete, result.cut) == (False, False)  # the calendar goes on
    assert set(site.requested.values()) == {1}
    assert not [path for path in site.requested if path.startswith("/cellar")]
    assert result.seconds < 2 * LIMITS.page_seconds + 10


@pytest.mark.parametrize("depth", [0, 1, 2])
async def test_a_crawl_goes_as_deep_as_it_is_asked_to(site: TrapSite, depth: int) -> None:
    result = await crawler(LIMITS).crawl(site.url, depth)
    assert site.expected(depth, LIMITS).differences(msgspec.to_builtins(result)) == []


async def test_other_limits_give_another_right_result(site: TrapSite) -> None:
    limits = Limits(page_seconds=3.0, pages_per_path=3, redirects=2, page_bytes=20_000, at_once=16)
    result = await crawler(limits).crawl(site.url, depth=3)
    assert site.expected(3, limits).differences(msgspec.to_builtins(result)) == []


async def test_what_is_expected_is_not_found_in_a_wrong_result(site: TrapSite) -> None:
    result = msgspec.to_builtins(await crawler(LIMITS).crawl(site.url, depth=0))
    wrong = {**result, "pages": [], "skipped": [{"url": f"{site.url}/huge", "reason": "robots"}]}
    differences = site.expected(0, LIMITS).differences(wrong)
    assert f"page {site.url}/: None instead of 0" in differences
    assert f"skipped {site.url}/huge: robots instead of too deep" in differences
