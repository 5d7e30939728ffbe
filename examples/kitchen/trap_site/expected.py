"""What a correct crawl of the site finds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from examples.kitchen.crawler.limits import Limits
from examples.kitchen.trap_site import pages

#: Judged of every link, however deep it is.
ANYWHERE = ("not web", "private", "offsite")
TROUBLES = ("status", "timeout", "redirects", "connection", "encoding")
CUT = ("/huge", "/bomb")


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What must be in the result, address by address."""

    #: How many links each is away from home.
    pages: dict[str, int]
    #: Pages of which only the beginning is read.
    cut: set[str]
    #: Pages that carry a recipe.
    recipes: set[str]
    #: The reason for each.
    failed: dict[str, str]
    #: The reason for each.
    skipped: dict[str, str]

    def differences(self, result: Mapping[str, Any]) -> list[str]:
        """What is not right in a result, as it arrives in JSON; nothing if all is."""
        found = result["pages"]
        return [
            *_differ("page", self.pages, {page["url"]: page["depth"] for page in found}),
            *_differ("cut", dict.fromkeys(self.cut, True), {page["url"]: True for page in found if page["cut"]}),
            *_differ("recipe", dict.fromkeys(self.recipes, True), {p["url"]: True for p in found if p["recipe"]}),
            *_differ("failed", self.failed, {failed["url"]: failed["reason"] for failed in result["failed"]}),
            *_differ("skipped", self.skipped, {skipped["url"]: skipped["reason"] for skipped in result["skipped"]}),
        ]


def expected(site: str, depth: int, limits: Limits) -> Expected:
    """What a crawl from the home page, so many links deep, must find."""
    seen = [address for address in _addresses(limits, depth) if address.seen_from <= depth]
    fates = {(address, address.fate_in(depth)) for address in seen}
    read = {address.url(site): address.depth for address, fate in fates if fate == "page"}
    return Expected(
        pages=read,
        cut={site + path for path in CUT} & read.keys(),
        recipes={url for url in read if url.startswith(f"{site}/recipe/")},
        failed={address.url(site): fate for address, fate in fates if fate in TROUBLES},
        skipped={address.url(site): fate for address, fate in fates if fate not in (*TROUBLES, "page", "redirect")},
    )


@dataclass(frozen=True)
class _Address:
    path: str
    #: What becomes of it if it is near enough: "page", "redirect", or a reason.
    fate: str
    depth: int
    #: How deep the page is that leads here.
    seen_from: int

    def url(self, site: str) -> str:
        return site + self.path if self.path.startswith("/") else self.path

    def fate_in(self, depth: int) -> str:
        return "too deep" if self.depth > depth and self.fate not in ANYWHERE else self.fate


def _addresses(limits: Limits, depth: int) -> Iterator[_Address]:
    yield _Address("/", "page", 0, 0)
    yield from _shelves()
    yield from _traps(limits)
    yield from _calendar(limits.pages_per_path)
    for deep in range(1, depth + 2):
        yield _linked("/" + "deeper/" * deep, "page", deep)


def _linked(path: str, fate: str, depth: int) -> _Address:
    return _Address(path, fate, depth, depth - 1)


def _shelves() -> Iterator[_Address]:
    yield _linked("/about", "page", 1)
    yield _linked(pages.MAIL, "not web", 2)
    for shelf in pages.SHELVES:
        yield _linked(pages.shelf_path(shelf), "page", 1)
        for number in pages.RECIPES:
            yield _linked(pages.recipe_path(shelf, number), "page", 2 + (number - 1) // pages.SHOWN)


def _traps(limits: Limits) -> Iterator[_Address]:
    fates = {
        "page": ["/huge", "/bomb", "/menu.pdf"],
        "redirect": ["/round/a", "/ever/1", "/moved", "/to-metadata", "/to-elsewhere"],
        "robots": ["/cellar/wine", "/cellar/cheese?age=2"],
        "status": ["/missing", "/broken/1", "/broken/2", "/broken/3"],
        "timeout": ["/slow", "/drip"],
        "connection": ["/hang-up"],
        "encoding": ["/packed"],
        "private": [pages.METADATA_IPV6],
        "offsite": [pages.ELSEWHERE],
        "not web": [pages.SCRIPT, pages.FILES],
    }
    for fate, paths in fates.items():
        for path in paths:
            yield _linked(path, fate, 1)
    # Where redirects end; it is as deep as the link to the first of them.
    yield _Address("/round/b", "redirects", 1, 1)
    yield _Address(f"/ever/{1 + limits.redirects}", "redirects", 1, 1)
    yield _Address(pages.METADATA, "private", 1, 1)
    yield _Address(pages.LANDING, "offsite", 1, 1)


def _calendar(most: int) -> Iterator[_Address]:
    """The first months are read, up to the limit for one path; those that the last of them link to are seen."""
    for month in range(1, most + pages.MONTHS_AHEAD + 1):
        depth = 2 + (month - 2) // pages.MONTHS_AHEAD
        yield _linked(f"/calendar?month={month}", "page" if month <= most else "limit", depth)


def _differ(what: str, right: Mapping[str, object], found: Mapping[str, object]) -> Iterator[str]:
    for url in sorted(right.keys() | found.keys()):
        if right.get(url) != found.get(url):
            yield f"{what} {url}: {found.get(url)} instead of {right.get(url)}"
