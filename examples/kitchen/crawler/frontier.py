"""Decide which addresses are visited; each is judged once, in the order in which it was found."""

import asyncio
from collections import Counter
from dataclasses import dataclass

import httpx2

from examples.kitchen.crawler.addresses import Addresses
from examples.kitchen.crawler.limits import Limits
from examples.kitchen.crawler.links import Site
from examples.kitchen.crawler.result import Skipped
from examples.kitchen.crawler.robots import Robots
from examples.kitchen.crawler.web import Web


@dataclass(frozen=True, kw_only=True)
class Visit:
    """An address to be visited."""

    url: httpx2.URL
    depth: int
    #: Seconds to wait after the visit before this one.
    delay: float = 0.0
    #: The redirects that led here.
    through: tuple[httpx2.URL, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rights:
    """Who may be visited at all."""

    addresses: Addresses
    robots: Robots


class Frontier:
    """The border between what was visited and what was only seen."""

    def __init__(self, site: Site, depth: int, limits: Limits, rights: Rights) -> None:
        self._site = site
        self._depth = depth
        self._limits = limits
        self._rights = rights
        self._seen: set[str] = set()
        self._visits = 0
        self._visits_of_path: Counter[str] = Counter()

    def is_new(self, url: httpx2.URL | str) -> bool:
        """Whether an address is seen for the first time; from now on it is not."""
        known = len(self._seen)
        self._seen.add(str(url))
        return len(self._seen) > known

    async def judge(self, wanted: Visit, web: Web) -> Visit | Skipped:
        """Whether and how an address is visited."""
        if (refusal := self._out_of_bounds(wanted)) is not None:
            return refusal
        rules = await self._rights.robots.rules_for(wanted.url, web)
        if not rules.allow(wanted.url):
            return Skipped(url=str(wanted.url), reason="robots", message=rules.unreachable)
        # Last, because what is not visited takes nothing from what is left.
        if not self._take_one(wanted.url):
            return Skipped(url=str(wanted.url), reason="limit")
        delay = min(self._limits.longest_delay, rules.delay)
        return Visit(url=wanted.url, depth=wanted.depth, delay=delay, through=wanted.through)

    def _out_of_bounds(self, wanted: Visit) -> Skipped | None:
        url = str(wanted.url)
        if self._rights.addresses.refuses_literal(wanted.url.host):
            return Skipped(url=url, reason="private")
        if not self._site.includes(wanted.url):
            return Skipped(url=url, reason="offsite")
        if wanted.depth > self._depth:
            return Skipped(url=url, reason="too deep")
        return None

    def _take_one(self, url: httpx2.URL) -> bool:
        path = f"{url.host}{url.path}"
        if self._visits >= self._limits.pages or self._visits_of_path[path] >= self._limits.pages_per_path:
            return False
        self._visits += 1
        self._visits_of_path[path] += 1
        return True


class Pace:
    """Lets visits begin one after the other, as far apart as the site wants."""

    def __init__(self) -> None:
        self._next = 0.0

    async def turn(self, delay: float) -> None:
        """Wait until it is time for one more visit."""
        now = asyncio.get_running_loop().time()
        mine = max(now, self._next)
        self._next = mine + delay
        if mine > now:
            await asyncio.sleep(mine - now)
